import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ExampleIdentityTests {
    @Test func `The documentation has the example that serve example-identity prints`() async throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Docs/identity.md").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let example = try #require(text.firstMatch(of: /```json\n(?<identity>(?s:.*?))```/)).identity
        #expect(try await Tool.run("serve", "example-identity").text == example)
    }

    @Test func `A server with the example signs its user in, and accepts the secret of its service`() async throws {
        try await withTemporaryDirectory { folder in
            let example = try await Tool.run("serve", "example-identity")
            let identity = try folder.file("identity.json", example.output)
            let server = try Tool.start(["serve", "--no-tls", "--identity", identity])
            let announcement = try await server.output(containing: "Control-C")
            let base = String(try #require(announcement.split(separator: "\n").first))
            #expect(announcement.contains("Try: sallyport login --issuer \(base) --client-id cli\n"))
            #expect(
                announcement.contains("Try: sallyport login --journey Login --server \(base) --client-id cli\n")
            )
            let login = try await Tool.run(
                [
                    "login", "--journey", "Login", "--server", base, "--client-id", "cli",
                    "--answer", "name=dora", "--answer", "password=pw-dora",
                ],
                environment: Tool.environment(home: folder.appendingPathComponent("home"))
            )
            #expect(login.errors.contains("Signed in as dora"), "\(login.errors)")
            let token = try await Tool.run(
                "post",
                base + "/token",
                "--field",
                "grant_type=client_credentials",
                "--field",
                "client_id=service",
                "--field",
                "client_secret=s3cret-service"
            )
            #expect(token.text.contains("\"token_type\":\"Bearer\""), "\(token.text) \(token.errors)")
            server.interrupt()
            #expect(try await server.outcome().status == 0)
        }
    }
}
