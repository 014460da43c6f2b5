import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct StatusRoutesTests {
    @Test(arguments: [200, 201, 299, 301, 400, 404, 418, 500, 503, 599])
    func `The requested status is returned`(code: Int) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/status/\(code)", method: .post)
            #expect(response.status.code == code)
            #expect(response.text.contains("\"status\" : \(code)"))
        }
    }

    @Test(arguments: [204, 205, 304])
    func `A status that forbids a body is returned without one`(code: Int) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/status/\(code)", method: .get)
            #expect(response.status.code == code)
            #expect(response.body.readableBytes == 0)
        }
    }

    @Test func `A 401 response contains a Basic challenge`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/status/401", method: .get)
            #expect(response.headers[.wwwAuthenticate]?.hasPrefix("Basic realm=") == true)
        }
    }

    @Test(arguments: ["100", "103", "199", "600", "1000", "-1", "abc"])
    func `A code that is not a final status is refused`(code: String) async throws {
        try await withRouter { client in
            let answer = try await client.execute(uri: "/status/\(code)", method: .get).decode(ErrorAnswer.self)
            #expect(answer.status == 400)
            #expect(answer.message == "code must be an integer from 200 to 599.")
        }
    }
}
