import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct TerminalPromptTests {
    @Test func `A process that was stopped asks for the password again, and does not show it`() async throws {
        try await withGateway { base in
            let tool = try ScreenedTool(["get", base, "-u", "ada"], readsTerminal: true)
            let question = "Password for ada at \(base): "
            try await tool.text(containing: question)
            tool.terminal.showInput()
            tool.send(SIGCONT)
            try await tool.text(containing: question + question)
            tool.terminal.type("s3cret\n")
            let outcome = try await tool.outcome()
            #expect(outcome.status == 0, "\(outcome.text)")
            #expect(!outcome.text.contains("s3cret"))
        }
    }

    #if os(Linux)
    @Test func `SIGQUIT ends the command, and the terminal shows input again`() async throws {
        try await SignIn.with { signIn in
            let tool = try ScreenedTool(
                signIn.journey("Login", ["--answer", "name=alice"]),
                readsTerminal: true,
                environment: signIn.environment()
            )
            try await tool.text(containing: "Password: ")
            #expect(!tool.terminal.showsInput)
            tool.send(SIGQUIT)
            let outcome = try await tool.outcome()
            #expect(outcome.status == -SIGQUIT)
            #expect(outcome.text.hasSuffix("Password: \n"), "\(outcome.text)")
            #expect(tool.terminal.showsInput)
        }
    }
    #endif
}
