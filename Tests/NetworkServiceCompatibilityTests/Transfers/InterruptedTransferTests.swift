import Foundation
import NetworkServiceCompatibility
import Sallyport
import SallyportTransfers
import TestSupport
import Testing

extension SharedConfigurationSuites {
    /// Transfers that an earlier process has begun, and that this process repeats.
    @Suite(.concurrencyLimited) @MainActor struct InterruptedTransferTests {
        private static let response = ScriptStep.send(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n"
                + #"{"status":{}}"#
        )

        struct AddPhotos: UploadServiceDelegate {
            static var path = "/photos"
            static var method = NetworkServiceHTTPMethod.post
            static var parameters: [String: Any]?
            typealias V = BaseModel
        }

        /// The folder of the transfer `map`.
        private func folder() throws -> URL {
            try transferFolder().appendingPathComponent("map.transfer", isDirectory: true)
        }

        /// Returns the queue that an earlier process has left, with a transfer.
        private func queue(
            _ work: QueuedTransfer.Work,
            performedBy client: HttpClient = HttpClient.createClient()
        ) async throws -> TransferQueue {
            let queue = try TransferQueue(folder: folder().appendingPathComponent("queue"), client: client)
            try await queue.enqueue(QueuedTransfer(work, identifier: "map"))
            return queue
        }

        /// Stores files in the folder of the transfer.
        private func storeFiles(_ files: [String: String]) throws -> URL {
            let folder = try folder()
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
            return folder
        }

        private func text(of path: String, _ name: String) async -> String {
            await withCheckedContinuation { continuation in
                DownloadService(serviceConfiguration: nil, downloadIdentifier: "map", downloadProgressCallback: nil)
                    .download(downloadPath: path, fileName: name) { file, error in
                        let text = (file as? Data).map { String(decoding: $0, as: UTF8.self) }
                        continuation.resume(returning: text ?? "\(String(describing: error))")
                    }
            }
        }

        @Test(arguments: ["old", "new"])
        func `A download is continued, or replaced by one with another path`(name: String) async throws {
            try await withScriptedServer([[.receiveHead, Self.response]]) { server in
                let baseURL = "http://\(server.authority)"
                try await withBaseURL(baseURL) {
                    _ = try await queue(.download(QueuedDownload("\(baseURL)/old", to: .file(documentFile("old")))))
                    #expect(storedTransfers() == ["map"])
                    #expect(await text(of: "/\(name)", name) == #"{"status":{}}"#)
                    #expect(server.requests.map(\.target) == ["/\(name)"])
                    #expect(storedTransfers().isEmpty)
                }
            }
        }

        @Test func `The file of a download that an earlier process has finished is received without a request`()
            async throws
        {
            try await withScriptedServer([[.receiveHead, Self.response]]) { server in
                let baseURL = "http://\(server.authority)"
                try await withBaseURL(baseURL) {
                    let download = QueuedDownload("\(baseURL)/old", to: .file(try documentFile("old")))
                    try await queue(.download(download)).runUntilEmpty()
                    #expect(server.requests.count == 1)
                    #expect(await text(of: "/old", "old") == #"{"status":{}}"#)
                    #expect(server.requests.count == 1)
                    #expect(storedTransfers().isEmpty)
                }
            }
        }

        @Test(arguments: ["old", "new"])
        func `An upload is continued with the same files, and replaced if they differ`(content: String) async throws {
            try await withScriptedServer([[.receiveRequest, Self.response]]) { server in
                let baseURL = "http://\(server.authority)"
                try await withBaseURL(baseURL) {
                    var form = MultipartForm()
                    form.append(name: "photos", data: Data("old".utf8), filename: "a.txt")
                    let digest = try #require(form.fingerprint)
                    let body = try storeFiles(["body": "stored", "digest": digest]).appendingPathComponent("body")
                    _ = try await queue(.upload(QueuedUpload(.file(body), to: "\(baseURL)/photos")))

                    AddPhotos.parameters = ["a.txt": Data(content.utf8)]
                    let error: NetworkServiceErrorInfo? = await withCheckedContinuation { continuation in
                        UploadService<AddPhotos>(uploadIdentifier: "map", uploadProgressCallback: nil)
                            .upload(withKey: "photos") { continuation.resume(returning: $1) }
                    }
                    #expect(error == nil)
                    let bodies = server.requests.map(\.bodyText)
                    #expect(bodies.count == 1)
                    #expect(bodies.first?.contains(content == "old" ? "stored" : "new") == true, "\(bodies)")
                    #expect(storedTransfers().isEmpty)
                }
            }
        }

        @Test(arguments: ["http://127.0.0.1:1", "no URL"])
        func `The handler of a background session's events is called on the main actor`(url: String) async throws {
            try await withBaseURL(url) {
                let count = Watched(0)
                NetworkServiceConfiguration.handleEvents(forBackgroundSession: "map") {
                    MainActor.assertIsolated()
                    count.update { $0 += 1 }
                }
                try await count.wait("the handler") { $0 == 1 }
            }
        }
    }
}
