import Foundation
import HTTPTypes
import SallyportTesting
import SallyportTransfers
import SallyportTransport
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// Uploads that are sent to other origins, by redirects or by journals that somebody else has written.
@Suite(.concurrencyLimited) struct UploadRedirectTests {
    private func resumption(at location: String) -> HTTPResponse {
        HTTPResponse(status: .init(code: 104), headerFields: [.location: location])
    }

    /// Uploads with credentials to a server that redirects to another one, which announces a resource and closes the
    /// connection.
    ///
    /// - Returns: The requests after the first two.
    private func upload(redirectedTo target: String, saying location: String) async -> [MockRequest] {
        let transport = MockTransport { request in
            switch request.url {
            case "https://api.example.com/uploads": return .redirect(to: target, status: 307)
            case target:
                return MockResponse(
                    body: Data(count: 2),
                    informational: [resumption(at: location)],
                    fault: .cut(after: 1)
                )
            default: return MockResponse.status(204)
            }
        }
        let client = HttpClient.createClient { config in
            config.transport = transport
            config.redirects = .follow(limit: 2)
        }
        let transfer = client.upload(options: .quick) { request in
            request.url = "https://api.example.com/uploads"
            request.setHeader(name: "Authorization", value: "Bearer secret")
            request.body = .data(Data("0123456789".utf8))
            request.setMethod(.post)
        }
        _ = await transfer.result
        return Array(transport.requests.dropFirst(2))
    }

    @Test func `A server after a redirect cannot announce an upload resource of the original origin`() async throws {
        let later = await upload(
            redirectedTo: "https://other.example.net/uploads",
            saying: "https://api.example.com/users/me"
        )
        #expect(later.map { "\($0.method) \($0.url)" } == [])
    }

    @Test func `A relative Location is resolved against the redirected URL`() async throws {
        let later = await upload(redirectedTo: "https://api.example.com/v2/uploads", saying: "place")
        #expect(later.map(\.url).first == "https://api.example.com/v2/place")
    }

    @Test(arguments: [0o600, 0o622, 0o644])
    func `A journal that others can read or write is ignored`(mode: Int) async throws {
        try await withTemporaryDirectory { folder in
            let journal = folder.appendingPathComponent("journal")
            var entry = UploadJournal.Entry(upload: "another")
            entry.resource = "https://api.example.com/users/me"
            try JSONEncoder().encode(entry).write(to: journal)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: journal.path)
            let transport = MockTransport { _ in MockResponse.status(204) }
            var options = UploadOptions.quick
            options.journal = journal
            let transfer = HttpClient.createClient { $0.transport = transport }.upload(options: options) { request in
                request.url = "https://api.example.com/uploads"
                request.body = .data(Data("0123456789".utf8))
            }
            _ = try await transfer.value
            // A journal of the owner is used: the server is asked to cancel the other upload.
            #expect(transport.requests.map(\.method.rawValue) == (mode == 0o600 ? ["DELETE", "POST"] : ["POST"]))
        }
    }
}
