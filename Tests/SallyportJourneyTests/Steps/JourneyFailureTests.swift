import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct JourneyFailureTests {
    @Test(
        arguments: [
            (401, "Login failure", "null", .wrongAnswer), (401, "Timeout", #"{"errorCode":"110"}"#, .expired),
            (401, "Timeout", #"{"errorCode":110}"#, .expired),
            (
                401, "org.forgerock.openam.auth.nodes.framework.SuspendedAuthSessionException: gone", "null",
                .expiredSuspension
            ),
            (401, "User Locked Out.", "null", .lockedAccount), (500, "Internal Server Error", "null", .server),
            (503, "", "null", .server), (400, "No such tree", "null", .refused), (403, "Forbidden", "null", .refused),
        ] as [(Int, String, String, JourneyFailure.Kind)]
    )
    func `A failure has its kind, code, reason, message and detail`(
        _ status: Int,
        _ message: String,
        _ detail: String,
        _ kind: JourneyFailure.Kind
    ) async throws {
        let server = TreeServer()
        server.answer(.treeFailure(message, status: status, detail: detail))
        let failure = try failure(in: await server.journey().start())
        #expect(failure.kind == kind)
        #expect(failure.code == status)
        #expect(failure.reason == "Unauthorized")
        #expect(failure.message == message)
        #expect(failure.detail?.text == (detail == "null" ? nil : detail))
    }

    @Test func `The details contain the URL of a page and the code of the server`() async throws {
        let server = TreeServer()
        server.answer(.treeFailure(detail: #"{"failureUrl":"https://app.example.com/failed","errorCode":"103"}"#))
        let failure = try failure(in: await server.journey().start())
        #expect(failure.failureURL == "https://app.example.com/failed")
        #expect(failure.errorCode == "103")
    }

    @Test func `A server error without JSON is a failure of the server`() async throws {
        let server = TreeServer()
        server.answer(.text("<html>Bad Gateway</html>", status: 502))
        let failure = try failure(in: await server.journey().start())
        #expect(failure.kind == .server)
        #expect(failure.code == 502)
        #expect(failure.description == "the server failed (code 502); try again later")
    }

    @Test func `A failure ends the tree, and an earlier session remains`() async throws {
        let server = TreeServer()
        server.answer(.session())
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.polling), .treeFailure())
        let node = try node(in: await journey.start())
        _ = try failure(in: await node.next())
        await expectError(\JourneyError.kind, "alreadyAnswered") { try await node.next() }
        #expect(try await journey.session()?.token == "session-1")
    }

    @Test func `A message of the server cannot change the display`() throws {
        let body = try JsonDocument(#"{"message":"\u001b[2Jtoken=abc"}"#)
        let failure = JourneyFailure(status: 401, body: body)
        #expect(failure.description == #"the sign-in failed ("\u{1B}[2Jtoken=***", code 401)"#)
    }
}
