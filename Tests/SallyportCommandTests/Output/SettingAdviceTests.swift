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
        #expect(!message.contains(Self.property), "\(message)")
    }

    /// The name of a property, such as `maximumLineSize`.
    private nonisolated(unsafe) static let property = /\b[a-z]+[A-Z][A-Za-z]*\b/

    /// Advice of the SDK that names a setting and is not in `SettingAdvice`, because the command cannot cause the error.
    private static let unreachable = [
        "correct contentCodings in the transport's configuration": "the command adds no codings",
        "configure the transport with the pins instead": "the command does so",
        "collect bodyStream, or send the request with client.request": "the command decodes no streamed response",
        "change the host in an interceptor added with addInterceptor, before secrets are attached": "it has none",
        "it can change only the query of this request; change the URL in the configuration":
            "it has no such interceptor",
        "configure them in the client of the app": "it has one client",
        "set them in the configuration of the other client, or create a new client with createClient":
            "it has one client",
        "set request.url": "every command has a URL",
        "it must be reissued for serverAuth": "a purpose of certificates",
    ]

    @Test func `All advice of the SDK that names settings is in the table that the command replaces`() throws {
        let sources = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Sources").standardized
        let modules = ["Transport", "Engine", "", "OAuth", "Transfers", "Loopback", "Storage", "JOSE"]
        let advice = /\badvice(?:: | = )(?:[^"\n]*\? )?"((?:[^"\\]|\\.)*)"/
        let setting = /\b(?:raise|lower|enable|disable|turn|set|allow|configure|configuration)\b/
        var count = 0
        for module in modules {
            let folder = sources.appendingPathComponent("Sallyport" + module)
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
                for match in try String(contentsOf: file, encoding: .utf8).matches(of: advice) {
                    count += 1
                    let text = String(match.1)
                    guard text.contains(setting) || text.contains(Self.property), Self.unreachable[text] == nil else {
                        continue
                    }
                    // Interpolated names of properties are values.
                    let plain = text.replacing(/\\\([^)]*\)+/, with: "")
                    let names = plain.contains(setting) || plain.contains(Self.property)
                    #expect(!names, "\(file.lastPathComponent): \(text); add it to SettingAdvice")
                }
            }
        }
        #expect(count > 50)
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
