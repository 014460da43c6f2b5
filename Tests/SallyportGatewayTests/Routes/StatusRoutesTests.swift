import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import SallyportGateway

@Suite("The status routes", .concurrencyLimited)
struct StatusRoutesTests {
    @Test("answers with the status asked for", arguments: [200, 201, 299, 301, 400, 404, 418, 500, 503, 599])
    func status(code: Int) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/status/\(code)", method: .post)
            #expect(response.status.code == code)
            #expect(response.text.contains("\"status\" : \(code)"))
        }
    }

    @Test("sends no body where none is allowed", arguments: [204, 205, 304])
    func noBody(code: Int) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/status/\(code)", method: .get)
            #expect(response.status.code == code)
            #expect(response.body.readableBytes == 0)
        }
    }

    @Test("names the scheme with a 401")
    func challenge() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/status/401", method: .get)
            #expect(response.headers[.wwwAuthenticate]?.hasPrefix("Basic realm=") == true)
        }
    }

    @Test("refuses what is not a final status", arguments: ["100", "103", "199", "600", "1000", "-1", "abc"])
    func refused(code: String) async throws {
        try await withRouter { client in
            let answer = try await client.execute(uri: "/status/\(code)", method: .get).decode(ErrorAnswer.self)
            #expect(answer.status == 400)
            #expect(answer.message == "code must be an integer from 200 to 599.")
        }
    }
}
