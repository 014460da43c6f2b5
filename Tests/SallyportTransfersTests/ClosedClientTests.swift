import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// Transfers that wait for their next attempt while their client is closed.
@Suite(.concurrencyLimited) struct ClosedClientTests {
    private let policy = RetryPolicy.constant(attempts: 3, delay: .seconds(3_600))

    @Test func `A download that waits for a retry ends when the client closes`() async throws {
        try await withTemporaryDirectory { folder in
            var options = DownloadOptions()
            options.retry = policy
            try await expectClosed { [options] client in
                client.download(to: .folder(folder), options: options) { request in
                    request.url = "https://api.example.com/map.zip"
                }
            }
        }
    }

    @Test func `An upload that waits for a retry ends when the client closes`() async throws {
        var options = UploadOptions()
        options.retry = policy
        let request = makeRequest { request in
            request.put(contentType: "text/plain", body: "x")
        }
        try await expectClosed { [options] client in client.upload(request, options: options) }
    }

    @Test func `A download of a derived client ends when the original client closes`() async throws {
        try await withTemporaryDirectory { folder in
            var options = DownloadOptions()
            options.retry = policy
            try await expectClosed { [options] client in
                client.forUser().download(to: .folder(folder), options: options) { request in
                    request.url = "https://api.example.com/map.zip"
                }
            }
        }
    }

    /// Closes a client as soon as a transfer waits for its second attempt.
    private func expectClosed<Value>(_ start: (HttpClient) -> Transfer<Value>) async throws {
        let (waits, wait) = AsyncStream.makeStream(of: Void.self)
        let (client, server) = makeClient(.status(503)) { config in config.onRetry { _ in wait.yield() } }
        let transfer = start(client)
        for await _ in waits { break }
        client.close()
        let error = try await withDeadline(.patience, "the transfer of a closed client") { () -> TransferError? in
            do {
                _ = try await transfer.value
                return nil
            } catch {
                return error as? TransferError
            }
        }
        guard case .network(.clientClosed)? = error?.reason else {
            Issue.record("not closed: \(String(describing: error))")
            return
        }
        #expect(server.requests.count == 1)
    }
}
