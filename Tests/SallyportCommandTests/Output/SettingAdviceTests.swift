import Foundation
import Sallyport
import SallyportTransfers
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct SettingAdviceTests {
    @Test(arguments: SettingAdvice.allCases)
    func `Advice that names SDK settings is replaced by the command's options`(advice: SettingAdvice) {
        let message = CommandFailure(.other, "GET http://a/: it failed; \(advice.rawValue)").message
        #expect(message.hasPrefix("GET http://a/: it failed; "))
        for text in SettingAdvice.allCases.map(\.rawValue) + ["trust root", "options.", "allow HTTP/1.1", "manually"] {
            #expect(!message.contains(text), "\(message)")
        }
    }

    @Test func `The error for an untrusted certificate names --cacert`() async throws {
        try await withSecureGateway { base, _ in
            let outcome = try await Tool.run("get", base)
            #expect(outcome.status == 60)
            #expect(
                outcome.errors.hasSuffix("pass its certificate with --cacert\n"),
                "\(outcome.errors)"
            )
        }
    }

    @Test func `A transfer whose file cannot be read reports the file`() {
        let cause = CommandFailure(.unreadableInput, "the file a cannot be read: it is a directory")
        let error = TransferError(.network(.connectionLost(NetworkFailure("the body failed", underlying: cause))))
        #expect(error.commandFailure.message == cause.message)
        #expect(error.commandFailure.status == .unreadableInput)
        #expect("\(cause)" == cause.message)
    }

    @Test func `All commands report an error status in the same words`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            try await withGateway { base in
                let url = base + "/status/404"
                _ = try await Tool.run(["queue", "add", url, "--into", folder.path], environment: state)
                for arguments in [
                    ["get", url, "--fail"], ["events", url, "--retry", "0"], ["download", url, "--into", folder.path],
                    ["queue", "watch"], ["queue", "list"],
                ] {
                    let outcome = try await Tool.run(arguments, environment: state)
                    let said = outcome.errors + outcome.text
                    #expect(said.contains("the server answered 404 Not Found"), "\(said)")
                }
            }
        }
    }
}
