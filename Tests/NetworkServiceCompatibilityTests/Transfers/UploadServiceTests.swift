import Foundation
import NetworkServiceCompatibility
import SallyportTransfers
import TestSupport
import Testing

extension SharedConfigurationSuites {
    @Suite(.concurrencyLimited) @MainActor struct UploadServiceTests {
        struct AddPhotos: UploadServiceDelegate {
            static var path = "/echo"
            static var method = NetworkServiceHTTPMethod.post
            static var parameters: [String: Any]?
            typealias V = EchoModel
        }

        struct AddWithoutLogin: UploadServiceDelegate {
            static var path = "/profile"
            static var method = NetworkServiceHTTPMethod.post
            static var parameters: [String: Any]? = ["a.txt": Data("a".utf8)]
            typealias V = EchoModel
        }

        private func outcome(
            of service: UploadService<AddPhotos>
        ) async -> (response: BaseResponse<EchoModel>?, error: NetworkServiceErrorInfo?) {
            await withCheckedContinuation { continuation in
                service.upload(withKey: "photos") { continuation.resume(returning: ($0, $1)) }
            }
        }

        @Test func `Files, data and texts are sent under one key, and the progress ends with 1`() async throws {
            try await withTemporaryDirectory { folder in
                let (first, second) = (folder.appendingPathComponent("1.txt"), folder.appendingPathComponent("2.txt"))
                try Data("first".utf8).write(to: first)
                try Data("second".utf8).write(to: second)
                try await EnvelopeServer.run { _ in
                    AddPhotos.parameters = [
                        "a": first, "b": second.absoluteString, "c.png": Data("third".utf8), "d": "fourth",
                    ]
                    var fractions: [Double] = []
                    let service = UploadService<AddPhotos>(uploadIdentifier: "rome") { progress in
                        fractions.append(progress.fractionCompleted)
                    }
                    let (response, error) = await outcome(of: service)
                    #expect(error == nil)
                    let text = response?.data?.text ?? ""
                    #expect(response?.data?.method == "POST")
                    #expect(text.components(separatedBy: #"name="photos""#).count == 5)
                    for part in ["1.txt", "2.txt", "c.png", "first", "second", "third", "fourth"] {
                        #expect(text.contains(part))
                    }
                    #expect(fractions.last == 1)
                }
            }
        }

        @Test(arguments: [nil, [:], ["number": 1]] as [[String: Int]?])
        func `An upload without files, or of another value, is an error before anything is sent`(
            parameters: [String: Int]?
        ) async throws {
            try await withBaseURL("http://127.0.0.1:1") {
                AddPhotos.parameters = parameters
                let service = UploadService<AddPhotos>(uploadIdentifier: nil, uploadProgressCallback: nil)
                let (response, error) = await outcome(of: service)
                #expect(response == nil)
                let isEmpty = parameters?.isEmpty ?? true
                let reason = isEmpty ? "there are no files" : "the parameter number is neither a file URL nor data"
                #expect(error?.reason == "AddPhotos: \(reason)")
            }
        }

        @Test func `An upload carries the headers of the configuration`() async throws {
            try await EnvelopeServer.run { _ in
                NetworkServiceConfiguration.headers["X-App"] = "1"
                AddPhotos.parameters = ["a.txt": Data("a".utf8)]
                let service = UploadService<AddPhotos>(uploadIdentifier: nil, uploadProgressCallback: nil)
                let headers = await outcome(of: service).response?.data?.headers
                #expect(headers?["x-app"] == "1")
                #expect(headers?["accept"] == "application/json")
            }
        }

        @Test func `The status of a refused upload is passed to its callback, and its identifier can be used again`()
            async throws
        {
            try await EnvelopeServer.run { _ in
                let refused: (message: String?, error: NetworkServiceErrorInfo?) = await withCheckedContinuation {
                    continuation in
                    UploadService<AddWithoutLogin>(uploadIdentifier: "rome", uploadProgressCallback: nil)
                        .upload(withKey: "file") { response, error in
                            continuation.resume(returning: (response?.status?.message, error))
                        }
                }
                #expect(refused.message == "Log in.")
                #expect(refused.error == nil)
                #expect(storedTransfers().isEmpty)

                AddPhotos.parameters = ["a.txt": Data("a".utf8)]
                let service = UploadService<AddPhotos>(uploadIdentifier: "rome", uploadProgressCallback: nil)
                let (response, error) = await outcome(of: service)
                #expect(response?.data?.target == "/api/echo", "\(String(describing: error))")
            }
        }

        @Test func `An upload after a failed one with the same identifier sends its own files, and each is sent once`()
            async throws
        {
            func response(_ status: String) -> ScriptStep {
                let json = #"{"status": {"message": "\#(status)"}}"#
                let head = "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Type: application/json\r\n"
                return .send(head + "Content-Length: \(json.utf8.count)\r\n\r\n" + json)
            }
            let scripts: [Script] = ["500 Failed", "200 OK"].map { [.receiveRequest, response($0)] }
            try await withScriptedServer(scripts) { server in
                try await withBaseURL("http://\(server.authority)") {
                    let service = UploadService<AddPhotos>(uploadIdentifier: "rome", uploadProgressCallback: nil)
                    AddPhotos.parameters = ["a.txt": Data("first".utf8)]
                    #expect(await outcome(of: service).response?.status?.message == "500 Failed")
                    #expect(storedTransfers().isEmpty)
                    AddPhotos.parameters = ["a.txt": Data("second".utf8)]
                    #expect(await outcome(of: service).response?.status?.message == "200 OK")
                    #expect(storedTransfers().isEmpty)
                    let bodies = server.requests.map(\.bodyText)
                    #expect(bodies.map { $0.contains("first") } == [true, false])
                    #expect(bodies.map { $0.contains("second") } == [false, true])
                }
            }
        }

        @Test(arguments: [("rome", "rome"), ("my photos/1", "my_20_photos_2f_1")])
        func `An upload runs in a background session with its identifier, which ends when the upload is cancelled`(
            identifier: String,
            name: String
        ) async throws {
            try await withScriptedServer([[.receiveHead, .stall]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    AddPhotos.parameters = ["file": Data("x".utf8)]
                    let service = UploadService<AddPhotos>(uploadIdentifier: identifier, uploadProgressCallback: nil)
                    let hasEnded = Watched(false)
                    service.upload(withKey: "file") { _, _ in hasEnded.update { $0 = true } }
                    _ = try await server.connection(0)
                    #expect(storedTransfers() == [name])
                    service.cancelUploadRequest()
                    try await hasEnded.wait("the callback") { $0 }
                    #expect(storedTransfers().isEmpty)
                }
            }
        }

        @Test func `A cancelled upload passes an error to its callback`() async throws {
            try await withScriptedServer([[.receiveHead, .stall]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    AddPhotos.parameters = ["file": Data("x".utf8)]
                    let service = UploadService<AddPhotos>(uploadIdentifier: nil, uploadProgressCallback: nil)
                    let cancellations = Watched<[Bool?]>([])
                    service.upload(withKey: "file") { _, error in
                        cancellations.update { $0.append(error?.transferError?.isCancellation) }
                    }
                    _ = try await server.connection(0)
                    service.cancelUploadRequest()
                    try await cancellations.wait("the callback") { !$0.isEmpty }
                    #expect(cancellations.value == [true])
                }
            }
        }
    }
}
