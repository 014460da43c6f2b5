import Foundation
import NetworkServiceCompatibility
import TestSupport
import Testing

/// A service of an app.
final class EchoService: NetworkService<GetEcho> {}

/// An upload service of an app.
final class PhotoService: UploadService<AddPhoto> {}

/// A download service of an app.
final class MapService: DownloadService {}

struct AddPhoto: UploadServiceDelegate {
    static var path = "/echo"
    static var method = NetworkServiceHTTPMethod.post
    static var parameters: [String: Any]? = ["rome.jpg": Data("rome".utf8)]
    typealias V = EchoModel
}

/// Code of an app whose callbacks have the declared types, which are ordinary function types.
private enum App {
    static func call(
        _ service: EchoService,
        callback: @escaping (BaseResponse<EchoModel>?, NetworkServiceErrorInfo?) -> Void
    ) {
        service.call(requestParams: nil, callback: callback)
    }

    static func upload(
        progress: @escaping PhotoService.UploadProgressCallback,
        callback: @escaping (BaseResponse<EchoModel>?, NetworkServiceErrorInfo?) -> Void
    ) -> PhotoService {
        let service = PhotoService(uploadIdentifier: nil, uploadProgressCallback: { progress($0) })
        service.upload(withKey: "photo", callback: callback)
        return service
    }

    static func download(
        _ name: String,
        _ configuration: ServiceConfiguration?,
        progress: @escaping MapService.DownloadProgressCallback,
        callback: @escaping MapService.DownloadResponseCallback
    ) -> MapService {
        let service = MapService(
            serviceConfiguration: configuration,
            downloadIdentifier: nil,
            downloadProgressCallback: { progress($0) }
        )
        service.download(downloadPath: "/echo", fileName: name, callback: callback)
        return service
    }

    static func refresh(callback: @escaping NetworkServiceCallStatusCallback) {
        OAuthTokenService().refreshToken(completionCallback: callback)
    }
}

extension SharedConfigurationSuites {
    /// The public members that the classes and structures in seed 002 declare without bodies, with the declared types.
    @Suite(.concurrencyLimited) @MainActor struct SeedDeclarationsTests {
        private func declaration<T: SeedDeclarations.NetworkServiceDelegate>(of type: T.Type) -> String {
            "\(T.method.rawValue) \(T.path) \(T.V.self)"
        }

        @Test func `The request of the example conforms to the declared protocol`() {
            #expect(declaration(of: RequestConfiguration.self) == "GET /test TestModel")
        }

        @Test func `The configuration has the declared members`() async throws {
            try await withBaseURL("https://api.example.com/v1") {
                let baseUrl: String = NetworkServiceConfiguration.baseUrl
                NetworkServiceConfiguration.timeoutValue = TimeInterval(20)
                NetworkServiceConfiguration.headers = ["X-App": "1"] as [String: String]
                NetworkServiceConfiguration.urlIsValid = false
                let isValid: Bool = NetworkServiceConfiguration.validateServiceURL()
                var configuration = NetworkServiceConfiguration()
                let sessionType: NetworkServiceSessionType = configuration.serviceSessionType
                configuration.serviceSessionType = .background
                configuration.clientBundle = "com.example.app"
                #expect(baseUrl == "https://api.example.com/v1")
                #expect(NetworkServiceConfiguration.timeoutValue == 20)
                #expect(isValid)
                #expect(NetworkServiceConfiguration.urlIsValid)
                #expect(sessionType == .defaultService)
                #expect(configuration.clientBundle == "com.example.app")
            }
        }

        @Test func `A service can be subclassed, and has the declared initializers and methods`() async throws {
            try await EnvelopeServer.run { _ in
                let configuration = NetworkServiceConfiguration()
                let services = [
                    EchoService(), EchoService(networkServiceConfiguration: configuration),
                    EchoService(requestEndPoint: GetEcho(), networkServiceConfiguration: configuration),
                ]
                for service in services {
                    service.requestEndPoint = GetEcho()
                    service.networkServiceConfiguration.serviceSessionType = .ephemeral
                    service.addRequestHeader(key: "X-Call", value: "2")
                    let headers = Watched<[String?]>([])
                    App.call(service) { response, _ in headers.update { $0.append(response?.data?.headers["x-call"]) } }
                    try await headers.wait("the callback") { !$0.isEmpty }
                    #expect(headers.value == ["2"])
                    service.cancelCurrentRequest()
                    service.invalidateRelatedURLSession()
                    service.invalidateURLSessions()
                }
            }
        }

        @Test func `Upload and download services can be subclassed, and have the declared callbacks`() async throws {
            try await EnvelopeServer.run { _ in
                let fractions = Watched<[Double]>([])
                let results = Watched<[String]>([])
                let uploads = App.upload(progress: { progress in
                    fractions.update { $0.append(progress.fractionCompleted) }
                }) { response, _ in
                    results.update { $0.append(response?.data?.method ?? "none") }
                }
                try await results.wait("the upload") { $0.count == 1 }
                #expect(fractions.value.last == 1)
                uploads.cancelUploadRequest()

                fractions.update { $0 = [] }
                let downloads = App.download("echo", NetworkServiceConfiguration()) { progress in
                    fractions.update { $0.append(progress.fractionCompleted) }
                } callback: { file, _ in
                    results.update { $0.append(file is Data ? "data" : "none") }
                }
                try await results.wait("the download") { $0.count == 2 }
                #expect(fractions.value.last == 1)
                #expect(results.value == ["POST", "data"])
                let services: [BaseRequestService] = [uploads, downloads]
                #expect(services.count == 2)
            }
        }

        @Test func `The token service has the declared methods`() async throws {
            try await EnvelopeServer.run { _ in
                let results = Watched<[Bool]>([])
                App.refresh { isRefreshed in results.update { $0.append(isRefreshed) } }
                try await results.wait("the callback") { !$0.isEmpty }
                #expect(results.value == [false])

                let save: (OAuthTokenModel) -> Void = OAuthTokenService.saveOAuthTokens(authenticationModel:)
                let reset: () -> Void = OAuthTokenService.resetAuthTokens
                let find: [() -> Bool] = [OAuthTokenService.findOAuthToken, OAuthTokenService.findOAuthRefreshToken]
                save(try #require(OAuthTokenModel(JSON: ["access_token": "a", "refresh_token": "r"])))
                #expect(find.map { $0() } == [true, true])
                reset()
                #expect(find.map { $0() } == [false, false])
            }
        }
    }
}
