import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

/// Runs the shell lines of documents with a development server.
@Suite(.concurrencyLimited) struct DocumentedCommandsTests {
    /// A line of a block that begins with ` ```sh `.
    private struct Line {
        let command: String
        /// The exit status, which is 0 unless the comment at the end of the line contains another one, as in `# status 22`.
        let status: Int32

        init(_ line: String) throws {
            let parts = line.split(separator: "  #", maxSplits: 1)
            command = try #require(parts.first).trimmingCharacters(in: .whitespaces)
            let stated = parts.dropFirst().first?.firstMatch(of: /status (\d+)/)
            status = stated.flatMap { Int32($0.1) } ?? 0
        }
    }

    /// The commands that are neither run nor parsed, with the reason.
    private static let excluded = [
        "swift run sallyport demo": "a step of .ci/check",
        "swift test": "a step of .ci/check, which runs this test",
        "tar -xzf sallyport-0.1.0-linux-x86_64.tar.gz --strip-components 1 -C ~/.local": "needs an archive",
    ]

    /// The commands that are only parsed, like those with an `example.com` host, and the reason.
    private static let parsed = [
        "sallyport serve --no-tls --port 8080 --test-port 8081": "runs during the test, with free ports",
        "sallyport serve --identity identity.json": "runs until it is interrupted",
        "sallyport get http://localhost/v1.43/info --unix-socket /run/docker.sock": "needs Docker",
        "sallyport push watch": "runs until it is interrupted",
        "sallyport otp": "needs an account",
        "sallyport device register --config app.json --sign-in --scope accounts": "needs TLS and a browser",
        "sallyport resource get /accounts --as user": "needs the registration of the line before",
    ]

    /// The options that are added to commands which ask at a terminal.
    private static let answers = [
        "sallyport login --journey Login --server http://127.0.0.1:8080": "--answers answers.txt"
    ]

    /// The files that the lines use.
    private static let files = [
        "answers.txt": "name=alice\npassword=wonderland\n",
        "headers.txt": "X-One: 1\nX-Two: 2\n",
        "notes.txt": "notes\n",
        "photo.jpg": "a photo\n",
        "token.txt": "token\n",
        "urls.txt": "# a list\nhttp://127.0.0.1:8081/bytes/10 ten.bin\nhttp://127.0.0.1:8081/bytes/20 20.bin\n",
        "user.json": #"{"name": "Ada"}"#,
        "work.conf": "timeout 30\n",
    ]

    private static func lines(of document: String) throws -> [Line] {
        let package = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized
        let text = try String(contentsOf: package.appendingPathComponent(document), encoding: .utf8)
        var isInBlock = false
        return try text.components(separatedBy: "\n").compactMap { line in
            if line.hasPrefix("```") {
                isInBlock = line == "```sh"
                return nil
            }
            guard isInBlock, !line.isEmpty, !line.hasPrefix("#") else { return nil }
            return try Line(line.replacing("swift run sallyport serve", with: "sallyport serve"))
        }
    }

    /// Runs a command in a folder, which is also its home directory.
    private static func run(_ command: String, in folder: URL) async throws -> Tool.Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let programs = try Tool.find().deletingLastPathComponent().path
        var environment = Tool.environment(home: folder.appendingPathComponent("profiles"))
        environment["HOME"] = folder.path
        environment["PATH"] = "\(programs):\(path)"
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "SALLYPORT_CONFIG"] {
            environment[name] = ""
        }
        let shell = try RunningTool(
            executable: URL(fileURLWithPath: "/bin/sh"),
            arguments: ["-c", "cd \"$0\" || exit\n\(command)", folder.path],
            input: Data(),
            environment: environment
        )
        return try await shell.outcome()
    }

    @Test(arguments: ["README.md", "Docs/command-line.md"])
    func `The shell lines of a document work with the development server`(document: String) async throws {
        try await withTemporaryDirectory { folder in
            let lines = try Self.lines(of: document).filter { Self.excluded[$0.command] == nil }
            let start = try #require(lines.first { $0.command.hasPrefix("sallyport serve --no-tls") })
            let words = start.command.replacing("8080", with: "0").replacing("8081", with: "0")
                .split(separator: " ").dropFirst()
            let server = try Tool.start(words.map(String.init))
            let announcement = try await server.output(containing: "Control-C")
            let ports = announcement.split(separator: "\n").prefix(2).compactMap { $0.split(separator: ":").last }
            try #require(ports.count == 2 && announcement.contains("\nTest routes: "), "\(announcement)")
            func withPorts(_ text: String) -> String {
                text.replacing(":8080", with: ":\(ports[0])").replacing(":8081", with: ":\(ports[1])")
            }
            for (name, content) in Self.files {
                let path = try folder.file(name, withPorts(content))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }

            for line in lines where Self.parsed[line.command] == nil && !line.command.contains("example.com") {
                let command = [line.command, Self.answers[line.command]].compactMap(\.self).joined(separator: " ")
                let outcome = try await Self.run(withPorts(command), in: folder)
                #expect(outcome.status == line.status, "\(line.command)\n\(outcome.text)\n\(outcome.errors)")
            }
            server.interrupt()
            #expect(try await server.outcome().status == 0)
        }
    }

    @Test(arguments: ["README.md", "Docs/command-line.md"])
    func `The other shell lines of a document have valid arguments`(document: String) async throws {
        try await withTemporaryDirectory { folder in
            // A function of the shell that writes its arguments to a file, so that the shell splits the lines.
            let (list, end) = (folder.appendingPathComponent("arguments"), "end of arguments")
            let function = "sallyport() { printf '%s\\n' \"$@\" '\(end)' >> '\(list.path)'; }\n"
            let lines = try Self.lines(of: document)
                .filter { Self.parsed[$0.command] != nil || $0.command.contains("example.com") }
            for line in lines { _ = try await Self.run(function + line.command, in: folder) }

            let text = try String(contentsOf: list, encoding: .utf8)
            let invocations = text.components(separatedBy: "\(end)\n").dropLast()
            #expect(invocations.count == lines.count)
            for invocation in invocations {
                let arguments = invocation.split(separator: "\n").map(String.init)
                #expect(throws: Never.self, "\(arguments)") {
                    let command = try SallyportTool.command(for: CommandArguments(arguments).all)
                    _ = try (command as? AnyRequestCommand)?.method()
                }
            }
        }
    }
}
