import Foundation
import NetworkServiceCompatibility
import SallyportService
import TestSupport
import Testing

extension SharedConfigurationSuites {
    /// Transfers that a process has begun, and that a later process repeats.
    @Suite(.concurrencyLimited) @MainActor struct InterruptedTransferTests {
        /// Begins a download, and leaves it in the folder of transfers as the end of its process would.
        private func beginDownload(_ identifier: String, from server: ScriptedServer) async throws {
            var configuration = try SallyportService.NetworkServiceConfiguration(baseURL: "http://\(server.authority)")
            configuration.sessionType = .background
            configuration.transferFolder = try transferFolder()
            configuration.prefixesIdentifiers = false
            let service = SallyportService.NetworkService(configuration)
            let folder = try documentFile("old").deletingLastPathComponent()
            let downloads = SallyportService.DownloadService(service, folder: folder, downloadIdentifier: identifier)
            async let error = expectError(\NetworkServiceError.isCancellation, true) {
                try await downloads.download(downloadPath: "/old", fileName: "old")
            }
            _ = try await server.connection(0)
            service.cancelCurrentRequest()
            _ = await error
            service.invalidate()
        }

        private func text(of path: String, _ name: String) async -> String {
            await withCheckedContinuation { continuation in
                NetworkServiceCompatibility.DownloadService(
                    serviceConfiguration: nil,
                    downloadIdentifier: "map",
                    downloadProgressCallback: nil
                )
                .download(downloadPath: path, fileName: name) { file, error in
                    let text = (file as? Data).map { String(decoding: $0, as: UTF8.self) }
                    continuation.resume(returning: text ?? "\(String(describing: error))")
                }
            }
        }

        @Test(arguments: ["old", "new"])
        func `A transfer is continued, or replaced by one with another path`(name: String) async throws {
            let response = ScriptStep.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")
            try await withScriptedServer([[.receiveHead, .stall], [.receiveHead, response]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    try await beginDownload("map", from: server)
                    #expect(storedTransfers() == ["map"])
                    #expect(await text(of: "/\(name)", name) == "x")
                    #expect(server.requests.last?.target == "/\(name)")
                    #expect(storedTransfers().isEmpty)
                }
            }
        }

        @Test(arguments: ["http://127.0.0.1:1", "no URL"])
        func `The handler of a background session's events is called on the main actor`(url: String) async throws {
            try await withBaseURL(url) {
                let count = Watched(0)
                NetworkServiceCompatibility.NetworkServiceConfiguration.handleEvents(forBackgroundSession: "map") {
                    MainActor.assertIsolated()
                    count.update { $0 += 1 }
                }
                try await count.wait("the handler") { $0 == 1 }
            }
        }
    }
}
