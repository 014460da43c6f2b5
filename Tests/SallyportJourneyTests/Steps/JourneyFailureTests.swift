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
            (401, "Warning: You will be locked out after 2 more failure(s).", "null", .wrongAnswer),
            (401, "Your account has been locked.", "null", .lockedAccount), (403, "Request blocked", "null", .refused),
            (408, "Slow", "null", .server), (429, "Too many requests", "null", .server), (503, "", "null", .server),
            (400, "No such tree", "null", .refused), (403, "Forbidden", "null", .refused),
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

    @Test func `A failure with the status 200 is a failure, and its code can be a string`() async throws {
        for code in ["401", "\"401\""] {
            let server = TreeServer()
            server.answer(
                .json(#"{"code": \#(code), "reason": "Unauthorized", "message": "Login failure", "callbacks": null}"#)
            )
            let failure = try failure(in: await server.journey().start())
            #expect(failure.kind == .wrongAnswer && failure.code == 401)
            #expect(failure.message == "Login failure")
        }
    }

    @Test func `A byte order mark is ignored, and a member that is null is absent`() async throws {
        let server = TreeServer()
        server.answer(.json("\u{FEFF}" + #"{"tokenId": "session-1", "callbacks": null, "successUrl": null}"#))
        #expect(try session(in: await server.journey().start())?.token == "session-1")
        server.answer(.json(#"{"callbacks": null, "successUrl": null, "tokenId": null}"#))
        await expectError(\JourneyError.kind, "invalidResponse") { try await server.journey().start() }
    }

    @Test func `A page instead of a node is shown by its title`() async throws {
        let server = TreeServer()
        server.answer(.text("<title>Access denied by the proxy</title>", status: 403))
        let error = await expectError(\JourneyError.kind, "invalidResponse") { try await server.journey().start() }
        #expect(error?.description.contains(#"("Access denied by the proxy")"#) == true, "\(error?.description ?? "")")
    }

    @Test func `A server error without JSON is a failure of the server`() async throws {
        let server = TreeServer()
        server.answer(.text("<html>Bad Gateway</html>", status: 502))
        let failure = try failure(in: await server.journey().start())
        #expect(failure.kind == .server)
        #expect(failure.code == 502)
        #expect(failure.description == "the server failed (code 502); try again later")
    }

    @Test(arguments: [MockResponse.treeFailure("busy", status: 503), .text("<html>", status: 429)])
    func `After a failure of the server, the node can be sent again`(_ response: MockResponse) async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling), response, .session())
        let node = try node(in: await server.journey().start())
        #expect(try failure(in: await node.next()).kind == .server)
        #expect(try session(in: await node.next())?.token == "session-1")
    }

    @Test func `A message that repeats an answer is shown without it`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.name), .treeFailure("No user 4111-1111"))
        var node = try node(in: await server.journey().start())
        node[NameCallback.self]?.name = "4111-1111"
        let failure = try failure(in: await node.next())
        #expect(failure.message == "No user ***")
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
