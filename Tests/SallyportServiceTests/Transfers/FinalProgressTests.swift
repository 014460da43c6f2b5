import Foundation
import Sallyport
import SallyportGateway
import SallyportService
import SallyportTransfers
import TestSupport
import Testing

/// The progress callbacks of many transfers, some of which run at the same time.
@Suite(.busy) struct FinalProgressTests {
    private typealias Report = @Sendable (Progress) -> Void

    private struct Stored: Decodable, Sendable { var length: Int }

    private struct Store: UploadEndpoint {
        typealias Response = Stored
        var files: [FilePart] { [.data(Data(count: 20_000), filename: "data")] }
        var path: EndpointPath { "/upload" }
    }

    @Test func `The last report of each of 200 downloads is 1.0`() async throws {
        try await withTemporaryDirectory { folder in
            let fractions = try await lastFractions { service, number, report in
                let downloads = DownloadService(service, folder: folder, downloadProgressCallback: report)
                _ = try await downloads.download(downloadPath: "/bytes/20000", fileName: "\(number)")
            }
            #expect(fractions == Array(repeating: 1, count: 200))
        }
    }

    @Test func `The last report of each of 200 uploads is 1.0`() async throws {
        let fractions = try await lastFractions { service, _, report in
            let upload = UploadService(Store(), service: service, uploadProgressCallback: report)
            _ = try await upload.upload(withKey: "file")
        }
        #expect(fractions == Array(repeating: 1, count: 200))
    }

    /// Performs 200 transfers from or to a gateway, eight at a time, and returns the last reported fraction of each.
    private func lastFractions(
        _ transfer: @escaping @Sendable (NetworkService, Int, @escaping Report) async throws -> Void
    ) async throws -> [Double?] {
        try await Gateway.withRunning { gateway in
            let service = try NetworkService(baseURL: gateway.baseURL)
            let fractions = try await withThrowingTaskGroup { group in
                for worker in 0..<8 {
                    group.addTask {
                        var fractions: [Double?] = []
                        for number in 0..<25 {
                            let last = Watched<Double?>(nil)
                            try await transfer(service, worker * 25 + number) { progress in
                                last.update { $0 = progress.fractionCompleted }
                            }
                            fractions.append(last.value)
                        }
                        return fractions
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            service.invalidate()
            return fractions
        }
    }
}
