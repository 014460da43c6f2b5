import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct DigestInfoTests {
    private func response(_ info: String, qop: String = "auth") async throws -> (HttpClient, MockTransport) {
        let answer = MockResponse.text("fine").header(.authenticationInfo, info).header(.contentLength, "4")
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5", qop: qop)), answer)
        let (client, _) = makeClient(server) { $0.authentication = [Mufasa.authentication] }
        _ = try await client.request(request: makeRequest(Mufasa.url))
        return (client, server)
    }

    @Test func `The nextnonce value is used with a new nonce count`() async throws {
        let (client, server) = try await response("nextnonce=\"other\"")
        _ = try await client.request(request: makeRequest(Mufasa.url))
        #expect(server.authorizations[2]?.parameter("nonce") == "\"other\"")
        #expect(server.authorizations[2]?.parameter("nc") == "00000001")
        #expect(server.authorizations[2]?.parameter("cnonce") == server.authorizations[1]?.parameter("cnonce"))
    }

    @Test(arguments: [
        ("auth", "qop=auth, rspauth=\"9b712497bc9f91499fbcca1dfc5f09a5\", nc=00000001"),
        ("auth", "rspauth=\"9B712497BC9F91499FBCCA1DFC5F09A5\""),
        ("auth-int", "qop=auth-int, rspauth=\"60a58c649499261d7d2d40968910da4b\""),
    ])
    func `A response with a correct rspauth is accepted`(qop: String, info: String) async throws {
        let (_, server) = try await response(info, qop: qop)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        ("auth", "rspauth=\"9b712497bc9f91499fbcca1dfc5f09a6\""), ("auth", "rspauth=\"\""),
        ("auth-int", "rspauth=\"60a58c649499261d7d2d40968910da4c\""),
    ])
    func `A response with a wrong rspauth is refused`(qop: String, info: String) async throws {
        await #expect {
            _ = try await response(info, qop: qop)
        } throws: { error in
            guard case NetworkError.invalidResponse(let failure) = error else { return false }
            return failure.reason.contains("rspauth") && failure.request == "GET \(Mufasa.url)"
        }
    }

    @Test(arguments: ["", "nextnonce", "rspauth=x, rspauth=y", "=, ,\"", "rspauth=\"unterminated"])
    func `An incomplete or malformed Authentication-Info field is ignored`(info: String) async throws {
        let (client, server) = try await response(info)
        _ = try await client.request(request: makeRequest(Mufasa.url))
        #expect(server.authorizations[2]?.parameter("nc") == "00000002")
    }
}
