import Foundation
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
            let documents = try #require(FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first)
            let name = "sallyport-test-\(UUID().uuidString)"
            let file = documents.appendingPathComponent(name)
            defer { try? FileManager.default.removeItem(at: file) }
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL) {
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

        @Test func `A failed download passes the server's message to its callback, and leaves no file`() async throws {
            let name = "sallyport-test-\(UUID().uuidString)"
            try await Gateway.withRunning { gateway in
                try await withBaseURL(gateway.baseURL) {
                    let service = DownloadService(
                        serviceConfiguration: NetworkServiceConfiguration(),
                        downloadIdentifier: nil,
                        downloadProgressCallback: nil
                    )
                    let (data, error) = await outcome(of: service, "/api/problems/404", name)
                    #expect(data == nil)
                    #expect(error?.status == .notFound)
                    #expect(error?.message == "It did not work.")
                }
            }
            let documents = try #require(FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first)
            #expect(!FileManager.default.fileExists(atPath: documents.appendingPathComponent(name).path))
        }
    }
}
