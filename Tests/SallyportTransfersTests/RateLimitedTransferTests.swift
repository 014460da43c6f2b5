import ClientTestSupport
import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportGateway

/// Transfers with a rate limit, whose clock advances when they wait.
@Suite(.concurrencyLimited) struct RateLimitedTransferTests {
    private let time = ManualTime()

    private func limit(_ bytesPerSecond: Int64) throws -> RateLimit {
        try RateLimit(bytesPerSecond: bytesPerSecond, time: time.retryTime)
    }

    private func isAbout(_ seconds: Double) -> Bool { abs(time.retryTime.now() / .seconds(1) - seconds) < 0.001 }

    @Test func `A download is received at its rate`() async throws {
        try await withTemporaryDirectory { folder in
            let bytes = pattern(300_000)
            let limit = try limit(100_000)
            let (client, _) = FileServer(bytes).client()
            let file = try await client.download(to: folder) { $0.rateLimit = limit }.value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(isAbout(3))
            #expect(time.sleeps.count >= 30)
        }
    }

    @Test func `A resumed download counts only the bytes that it receives`() async throws {
        try await withTemporaryDirectory { folder in
            let bytes = pattern(300_000)
            let limit = try limit(100_000)
            let (client, _) = FileServer(bytes, cut(100_000)).client()
            #expect(await failure(of: client.download(to: folder))?.resumableBytes == 100_000)
            let transfer = client.download(to: folder) { $0.rateLimit = limit }
            try await expectSame(Data(contentsOf: transfer.value.url), Data(bytes))
            #expect(isAbout(2))
            #expect(transfer.currentProgress.resumedBytes == 100_000)
        }
    }

    @Test(arguments: ["data", "file", "stream", "form"])
    func `An upload is sent at its rate`(kind: String) async throws {
        try await withTemporaryDirectory { folder in
            let bytes = TestBytes.data(300_000)
            let file = folder.appendingPathComponent("file.bin")
            try bytes.write(to: file)
            var form = MultipartForm()
            form.append(name: "file", file: file)
            let body: RequestBody =
                switch kind {
                case "data": .data(bytes)
                case "file": .file(file)
                case "stream": .stream(BodyStream(TestBytes.chunks(of: bytes, 70_000), length: 300_000))
                default: try form.body()
                }
            var options = UploadOptions()
            options.rateLimit = try limit(100_000)
            let expected = try await UploadAnswer(of: kind == "stream" ? .data(bytes) : body)
            try await Gateway.withRunning { address in
                let transfer = HttpClient.createClient().upload(options: options) { request in
                    request.url = "\(address.baseURL)/upload"
                    request.body = body
                }
                let answer = try await transfer.value.decode(UploadAnswer.self)
                #expect(answer == expected)
                #expect(transfer.currentProgress.completedBytes == Int64(expected.length))
                #expect(transfer.currentProgress.resumedBytes == 0)
            }
            #expect(isAbout(Double(expected.length) / 100_000))
        }
    }
}
