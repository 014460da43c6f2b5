import Foundation
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct MagicLinksTests {
    private static let expired =
        "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: "
        + "Token not found. It may have expired."

    /// Begins the tree `MagicLink`, and returns the suspended step.
    private func suspend(_ journey: JourneyClient, realm: String = "root") async throws -> JourneyResponse {
        let step = try await journey.start("MagicLink", realm: realm)
        return try await journey.answer(step, ["IDToken1": "alice"], realm: realm)
    }

    private func suspendedID(_ journey: JourneyClient) async throws -> String {
        let link = try #require(await journey.server.inbox.first?.link)
        return String(try #require(link.split(separator: "suspendedId=").last))
    }

    @Test func `A suspended tree continues once with the link in the inbox`() async throws {
        try await JourneyClient.with { journey in
            let suspended = try await suspend(journey)
            #expect(suspended.types == ["SuspendedTextOutputCallback"])
            #expect(suspended.output("messageType") == "0")
            let message = try #require(await journey.server.inbox.first)
            #expect(message.recipient == "alice@example.com")
            #expect(message.subject == "Continue to sign in")
            #expect(message.link.hasPrefix("\(journey.base)/journeys/resume?realm=%2F&suspendedId="))
            let id = try await suspendedID(journey)
            // The answer to the suspended step does not continue the tree.
            #expect(try await journey.answer(suspended).types == ["SuspendedTextOutputCallback"])
            _ = try await journey.authenticate("?suspendedId=\(id)").token
            try await journey.authenticate("?suspendedId=\(id)").expectRefusal(401, Self.expired)
        }
    }

    @Test func `A link that has expired, was invented or is for another realm is refused`() async throws {
        try await JourneyClient.with { journey in
            _ = try await suspend(journey)
            let late = try await suspendedID(journey)
            journey.clock.advance(601)
            try await journey.authenticate("?suspendedId=\(late)").expectRefusal(401, Self.expired)
            try await journey.authenticate("?suspendedId=invented").expectRefusal(401, Self.expired)
            _ = try await suspend(journey, realm: "alpha")
            let id = try await suspendedID(journey)
            try await journey.authenticate("?suspendedId=\(id)").expectRefusal(401, Self.expired)
            #expect(try await journey.authenticate("?suspendedId=\(id)", realm: "alpha").members["realm"] == "/alpha")
        }
    }

    @Test func `An unknown user sees the same step, and no message is sent`() async throws {
        try await JourneyClient.with { journey in
            let known = try await suspend(journey)
            let step = try await journey.start("MagicLink")
            let unknown = try await journey.answer(step, ["IDToken1": "bob"])
            #expect(unknown.members["callbacks"] == known.members["callbacks"])
            #expect(await journey.server.inbox.count == 1)
        }
    }

    @Test func `The link to an account is sent to the address of the account, and not to one that is entered`()
        async throws
    {
        let tree = """
            {"start": "ask", "nodes": {
              "ask": {"type": "page", "nodes": [
                {"type": "username"}, {"type": "attributes", "attributes": [{"name": "mail"}]}
              ], "next": "link"},
              "link": {"type": "suspend", "next": "success"}
            }}
            """
        try await JourneyClient.withTree(tree) { journey in
            for (name, recipient) in [("alice", "alice@example.com"), ("walrus", "walrus@example.com")] {
                let step = try await journey.start("Test")
                _ = try await journey.answer(step, ["IDToken1": .string(name), "IDToken2": "walrus@example.com"])
                #expect(await journey.server.inbox.first?.recipient == recipient)
            }
        }
    }

    @Test func `Many links for one user do not displace that of another`() async throws {
        try await JourneyClient.withTree(
            """
            {"start": "ask", "nodes": {
              "ask": {"type": "page", "nodes": [
                {"type": "username"}, {"type": "attributes", "attributes": [{"name": "mail"}]}
              ], "next": "link"},
              "link": {"type": "suspend", "next": "success"}
            }}
            """
        ) { journey in
            for number in 0...257 {
                let step = try await journey.start("Test")
                let name = number == 0 ? "walrus" : "oyster"
                let mail = JsonValue.string("\(name)@example.com")
                _ = try await journey.answer(step, ["IDToken1": .string(name), "IDToken2": mail])
            }
            #expect(await journey.server.inbox.last?.recipient == "walrus@example.com")
        }
    }

    @Test func `The inbox is a page, or JSON, and only for development`() async throws {
        try await JourneyClient.with { journey in
            #expect(try await journey.get("/development/inbox").bodyAsString().contains("There are no messages."))
            _ = try await suspend(journey)
            let link = try #require(await journey.server.inbox.first?.link)
            let page = try await journey.get("/development/inbox")
            #expect(page.getHeader(name: "Content-Type") == "text/html; charset=utf-8")
            #expect(page.bodyAsString().contains("href=\"\(link.replacing("&", with: "&amp;"))\""))
            let json = try await journey.get("/development/inbox", headers: ["Accept": "application/json"])
                .decode([String: JsonValue].self)
            #expect(json["messages"]?.array?.first?["link"] == .string(link))
            #expect(json["messages"]?.array?.first?["to"] == "alice@example.com")
            #expect(try await journey.get(String(link.dropFirst(journey.base.count))).status.code == 200)
        }
        try await JourneyClient.with({ $0.allowsDevelopmentCalls = false }) { journey in
            let status = try await journey.get("/development/inbox").status.code
            #expect(status == 404)
        }
    }
}
