import Foundation
import Sallyport
import SallyportResource
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HeadersTests {
    private static func request(_ headers: [String: String]) -> ResourceRequest {
        ResourceRequest(path: "p", method: .get, parameters: nil, encoding: .JSON, headers: headers)
    }

    @Test func `Additional headers are sent`() async throws {
        let client = try ResourceServer().client().deviceClient
        let request = Self.request(["X-Flags": "1000010", "Accept-Language": "de"])
        let echo = try Echo(await client.sendUnauthenticatedRequest(request))
        #expect(echo.headers["x-flags"] == "1000010" && echo.headers["accept-language"] == "de")
    }

    @Test func `The SDK sets the User-Agent, with the app, its version and the platform`() async throws {
        let client = try ResourceServer().client { $0.appPlatform = "ios" }.deviceClient
        let echo = try Echo(await client.sendUnauthenticatedRequest(Self.request([:])))
        let agent = try #require(echo.headers["user-agent"])
        #expect(try /com\.example\.app\/2\.1\.0 \(ios [0-9.]+\) sallyport\/[0-9.]+/.wholeMatch(in: agent) != nil)
    }

    @Test func `Headers that the SDK sets are refused, in any spelling`() async throws {
        let server = try ResourceServer()
        let client = try server.client().deviceClient
        for name in ["Authorization", "authorization", "User-Agent", "USER-AGENT", " Authorization "] {
            let error = await expectError(\ResourceError.reason, .invalidHeaders) {
                try await client.sendUnauthenticatedRequest(Self.request([name: "secret-value"]))
            }
            #expect(error?.code.rawValue == 10019 && error?.domain == "ONGFetchUnauthenticatedResourceDomain")
            #expect(error?.description.contains("secret-value") == false)
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `Headers with invalid names or values are refused`() async throws {
        let server = try ResourceServer()
        let client = try server.client().deviceClient
        for headers in [["": "a"], ["a b": "c"], ["X-A": "b\r\nAuthorization: c"], ["X-A": "\u{0}"]] {
            await expectError(\ResourceError.reason, .invalidHeaders) {
                try await client.sendUnauthenticatedRequest(Self.request(headers))
            }
        }
        #expect(server.transport.requests.isEmpty)
    }
}
