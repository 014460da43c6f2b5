import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct RedirectRoutesTests {
    @Test(
        arguments: [
            ("/redirect/3", 302, "2?status=302"), ("/redirect/1", 302, "../echo"),
            ("/redirect/2?status=307", 307, "1?status=307"), ("/redirect-loop", 302, "/redirect-loop?status=302"),
            ("/redirect-to?url=https%3A%2F%2Fexample.com%2F%3Fa%3Db&status=308", 308, "https://example.com/?a=b"),
        ]
    )
    func `Redirects count down with relative targets to the echo route`(uri: String, code: Int, location: String)
        async throws
    {
        try await withRouter { client in
            for method in [HTTPRequest.Method.get, .head, .post] {
                let response = try await client.execute(uri: uri, method: method)
                #expect(response.status.code == code)
                #expect(response.headers[.location] == location)
            }
        }
    }

    @Test(
        arguments: [
            "/redirect/0", "/redirect/101", "/redirect/2?status=304", "/redirect-to", "/redirect-to?url=",
            "/redirect-to?url=/%0d%0aSet-Cookie:a=b", "/redirect-to?url=/&status=200",
        ]
    )
    func `Invalid counts, targets and statuses are refused`(uri: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .badRequest)
            #expect(response.headers[.location] == nil)
        }
    }
}
