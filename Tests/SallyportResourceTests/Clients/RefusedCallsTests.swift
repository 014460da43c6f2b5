import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct RefusedCallsTests {
    private static let request = ResourceRequest(path: "p", method: .get)

    @Test func `An additional server cannot report an outdated version`() async throws {
        let server = try ResourceServer()
        server.transport.on(.get, "/report", .json(#"{"error": "outdated_app"}"#, status: 403))
        let client = try server.client { $0.integrityChecks = [.outdatedApp] }.deviceClient
        let request = ResourceRequest(path: "https://files.example.com/report", method: .get)
        let error = await expectError(\ResourceError.reason, .status) {
            try await client.sendUnauthenticatedRequest(request)
        }
        #expect(error?.response?.statusCode == 403)
        _ = try await client.sendUnauthenticatedRequest(Self.request)
        // The identity server can.
        await expectError(\ResourceError.reason, .outdatedApp) {
            let report = ResourceRequest(path: "https://id.example.com/report", method: .get)
            return try await client.sendUnauthenticatedRequest(report)
        }
        await expectError(\ResourceError.reason, .outdatedApp) {
            try await client.sendUnauthenticatedRequest(Self.request)
        }
    }

    @Test(arguments: ["", "a b", "é", "a\"", "a\\", "a\n"])
    func `A scope with characters that scopes cannot have is refused, and nothing is sent`(_ scope: String) async throws
    {
        let server = try ResourceServer()
        let client = try server.client()
        let scopes = ["accounts", scope]
        let error = await expectError(\ResourceError.reason, .invalidRequest) {
            try await client.deviceClient.authenticateDevice(scopes: scopes)
        }
        #expect(error?.description.contains("the scope \"") == true, "\(error?.description ?? "")")
        await expectError(\ResourceError.reason, .invalidRequest) {
            try await client.userClient.implicitlyAuthenticate(user: "alice", scopes: scopes)
        }
        await expectError(\ResourceError.reason, .invalidRequest) {
            try await client.userClient.registerUser(with: server.identity.signIn(), scopes: scopes)
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test(arguments: [("/token", "invalid_client", 401), ("/register", "invalid_dpop_proof", 400)])
    func `Refused credentials of a device whose date is wrong are an error about the date`(
        path: String,
        code: String,
        status: Int
    ) async throws {
        let server = try ResourceServer()
        let refusal = MockResponse.json(#"{"error": "\#(code)"}"#, status: status)
        server.transport.on(.post, path, refusal.header(.date, HttpDate.text(Date(timeIntervalSinceNow: -3600))))
        let client = try server.client().deviceClient
        let error = await expectError(\ResourceError.reason, .badDate) {
            try await client.authenticateDevice(scopes: [])
        }
        #expect(error?.errorCode == 9031 && error?.domain == "ONGGenericErrorDomain")
        #expect(error?.description.contains("seconds ahead of the server's") == true)
        // With the same date, or none, it is another error.
        for response in [refusal.header(.date, HttpDate.text(Date())), refusal] {
            server.transport.on(.post, path, response)
            let error = await #expect(throws: ResourceError.self) { try await client.authenticateDevice(scopes: []) }
            #expect(error?.reason == (code == "invalid_client" ? .deviceNotValid : .unknown))
        }
    }
}
