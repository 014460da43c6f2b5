import Foundation
import HTTPTypes
import NetworkServiceCompatibility
import SallyportGateway
import TestSupport
import Testing

extension SharedConfigurationSuites {
    @Suite(.concurrencyLimited) @MainActor struct DownloadServiceTests {
        private func outcome(
            of service: DownloadService,
            _ path: String,
            _ name: String?
        ) async -> (file: Data?, error: NetworkServiceErrorInfo?) {
            await withCheckedContinuation { continuation in
                service.download(downloadPath: path, fileName: name) { file, error in
                    continuation.resume(returning: (file as? Data, error))
                }
            }
        }

        @Test func `A file is stored in the documents directory, replaces an older one, and is passed to the callback`()
            async throws
        {
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL) {
                    let name = "map"
                    let file = try documentFile(name)
                    var fractions: [Double] = []
                    let background = DownloadService(serviceConfiguration: nil, downloadIdentifier: name) { progress in
                        fractions.append(progress.fractionCompleted)
                    }
                    let (data, error) = await outcome(of: background, "/bytes/2000000", name)
                    #expect(error == nil)
                    #expect(data?.count == 2_000_000)
                    let stored = try Data(contentsOf: file)
                    #expect(stored == data)
                    #expect(fractions.last == 1)

                    let service = DownloadService(
                        serviceConfiguration: NetworkServiceConfiguration(),
                        downloadIdentifier: nil,
                        downloadProgressCallback: nil
                    )
                    let replacement = await outcome(of: service, "/bytes/1000?seed=7", name).file
                    #expect(replacement?.count == 1000)
                    let newlyStored = try Data(contentsOf: file)
                    #expect(newlyStored == replacement)
                }
            }
        }

        @Test func `A download without a configuration runs in a background session, which ends with it`() async throws
        {
            let isObserved = Signal()
            let response = ScriptStep.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            try await withScriptedServer([[.receiveHead, .waitFor(isObserved), response]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    let service = DownloadService(
                        serviceConfiguration: nil,
                        downloadIdentifier: "map",
                        downloadProgressCallback: nil
                    )
                    let texts = Watched<[String]>([])
                    service.download(downloadPath: "/x", fileName: "x") { file, _ in
                        let text = String(decoding: file as? Data ?? Data(), as: UTF8.self)
                        texts.update { $0.append(text) }
                    }
                    _ = try await server.connection(0)
                    #expect(storedTransfers() == ["map"])
                    isObserved.fire()
                    try await texts.wait("the callback") { !$0.isEmpty }
                    #expect(texts.value == ["x"])
                    #expect(storedTransfers().isEmpty)
                }
            }
        }

        @Test func `A failed background download leaves nothing, and its identifier can be used again`() async throws {
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL) {
                    let service = DownloadService(
                        serviceConfiguration: nil,
                        downloadIdentifier: "map",
                        downloadProgressCallback: nil
                    )
                    let (data, error) = await outcome(of: service, "/api/problems/404", "map")
                    #expect(data == nil)
                    #expect(error?.message == "It did not work.")
                    #expect(storedTransfers().isEmpty)
                    #expect(await outcome(of: service, "/bytes/1000", "map").file?.count == 1000)
                }
            }
        }

        @Test(arguments: [nil, NetworkServiceConfiguration()])
        func `A failed download is not repeated`(configuration: NetworkServiceConfiguration?) async throws {
            let unavailable = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            try await withScriptedServer([[.receiveRequest, .send(unavailable)]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    let service = DownloadService(
                        serviceConfiguration: configuration,
                        downloadIdentifier: nil,
                        downloadProgressCallback: nil
                    )
                    #expect(await outcome(of: service, "/x", "x").error?.status == .serviceUnavailable)
                    #expect(server.requests.count == 1)
                    #expect(storedTransfers().isEmpty)
                }
            }
        }

        @Test func `A download carries the headers of the configuration`() async throws {
            try await EnvelopeServer.run { _ in
                NetworkServiceConfiguration.headers["X-App"] = "1"
                let service = DownloadService(
                    serviceConfiguration: nil,
                    downloadIdentifier: nil,
                    downloadProgressCallback: nil
                )
                let file = await outcome(of: service, "/echo", "echo").file
                let object = try JSONSerialization.jsonObject(with: file ?? Data()) as? [String: Any]
                let echo = try #require(BaseResponse<EchoModel>(JSON: object ?? [:]))
                #expect(echo.data?.headers["x-app"] == "1")
                #expect(echo.data?.headers["accept"] != "application/json")
            }
        }

        @Test func `A failed download passes the server's message to its callback, and leaves no file`() async throws {
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL) {
                    let service = DownloadService(
                        serviceConfiguration: NetworkServiceConfiguration(),
                        downloadIdentifier: nil,
                        downloadProgressCallback: nil
                    )
                    let (data, error) = await outcome(of: service, "/api/problems/404", "map")
                    #expect(data == nil)
                    #expect(error?.status == .notFound)
                    #expect(error?.message == "It did not work.")
                    let path = try documentFile("map").path
                    #expect(!FileManager.default.fileExists(atPath: path))
                }
            }
        }

        @Test(arguments: ["", ".", "..", "../x", "a/b", "/etc/x", #"a\b"#, "a\0b"])
        func `A file name that is a path is refused before anything is sent`(name: String) async throws {
            try await withBaseURL("http://127.0.0.1:1") {
                let service = DownloadService(
                    serviceConfiguration: nil,
                    downloadIdentifier: nil,
                    downloadProgressCallback: nil
                )
                let (file, error) = await outcome(of: service, "/x", name)
                #expect(file == nil)
                #expect(error?.reason.hasSuffix("is not a file name") == true)
            }
        }

        @Test func `A file without a name is named by the path, which can have a query`() async throws {
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL) {
                    for configuration in [nil, NetworkServiceConfiguration()] {
                        let service = DownloadService(
                            serviceConfiguration: configuration,
                            downloadIdentifier: nil,
                            downloadProgressCallback: nil
                        )
                        #expect(await outcome(of: service, "/bytes/1000?seed=7", nil).file?.count == 1000)
                        let stored = try Data(contentsOf: documentFile("1000"))
                        #expect(stored.count == 1000)
                    }
                }
            }
        }
    }
}
