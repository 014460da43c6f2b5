import Foundation
import TestSupport
import Testing

/// The servers and files that a download may involve are those that the user typed.
@Suite(.concurrencyLimited) struct DownloadRecipientsTests {
    private static func file(_ text: String, _ fields: String...) -> Script {
        let head = ["HTTP/1.1 200 OK", "Content-Length: \(text.utf8.count)"] + fields
        return [.receiveHead, .send(head.joined(separator: "\r\n") + "\r\n\r\n" + text)]
    }

    private static func withServers(
        _ second: String,
        _ body:
            @escaping @Sendable (_ first: ScriptedServer, _ second: ScriptedServer, _ folder: URL) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            try await withScriptedServer([file("one")]) { first in
                try await withScriptedServer([file(second)]) { second in try await body(first, second, folder) }
            }
        }
    }

    private static let sums = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed  a.zip\n"
    private static let secrets = [
        "-H", "Authorization: Bearer canary1", "-H", "X-Api-Key: canary2", "-b", "session=canary3", "--query",
        "token=canary4",
        "-H", "X-Tenant: a",
    ]

    private func expectSecrets(_ areSent: Bool, to server: ScriptedServer) throws {
        let request = try #require(server.requests.first)
        let all = request.target + request.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        for number in 1...4 { #expect(all.contains("canary\(number)") == areSent, "\(all)") }
        #expect(request["X-Tenant"] == ["a"])
    }

    @Test func `Secrets and cookies are not sent to the server of the checksum file`() async throws {
        try await Self.withServers(Self.sums) { first, second, folder in
            let urls = ["http://\(first.authority)/a.zip", "--checksums", "http://\(second.authority)/SUMS"]
            let outcome = try await Tool.run(["download"] + urls + ["--into", folder.path] + Self.secrets)
            #expect(outcome.status == 0, "\(outcome.errors)")
            try expectSecrets(true, to: first)
            try expectSecrets(false, to: second)
            let names = "Authorization, Cookie, X-Api-Key, token"
            #expect(outcome.errors.hasPrefix("sallyport: sent only to http://\(first.authority): \(names)\n"))
            #expect(!outcome.errors.contains("canary"))
        }
    }

    @Test func `An encoded checksum file is an error that names the coding`() async throws {
        try await withTemporaryDirectory { folder in
            try await withScriptedServer([Self.file("x", "Content-Encoding: gzip")]) { server in
                let url = "http://\(server.authority)/a.zip"
                let outcome = try await Tool.run("download", url, "--checksums", url + ".sums", "--into", folder.path)
                #expect(outcome.status == 61)
                #expect(outcome.errors.contains("(Content-Encoding: gzip)"), "\(outcome.errors)")
            }
        }
    }

    @Test func `Secrets and cookies are not sent to other servers of a list`() async throws {
        try await Self.withServers("two") { first, second, folder in
            let list = try folder.file("list", "http://\(second.authority)/b.zip\n")
            let arguments = ["download", "http://\(first.authority)/a.zip", "--input", list, "--into", folder.path]
            let outcome = try await Tool.run(arguments + Self.secrets)
            #expect(outcome.status == 0, "\(outcome.errors)")
            try expectSecrets(true, to: first)
            try expectSecrets(false, to: second)
        }
    }

    @Test func `If the URLs are of several servers, a secret is refused, and nothing is sent`() async throws {
        try await Self.withServers("two") { first, second, folder in
            let urls = ["http://\(first.authority)/a.zip", "http://\(second.authority)/b.zip"]
            let list = try folder.file("list", urls.joined(separator: "\n"))
            for arguments in [urls, ["--input", list]] {
                let call = ["download"] + arguments + ["--into", folder.path, "-H", "X-Tenant: a"]
                let refused = try await Tool.run(call + ["-H", "X-Api-Key: canary"])
                #expect(refused.status == 2)
                let words = "sallyport: X-Api-Key applies to one server, but the URLs are of 2 servers"
                #expect(refused.errors.contains(words), "\(refused.errors)")
                #expect(first.acceptedConnections == 0 && second.acceptedConnections == 0)
            }
            #expect(try await Tool.run(["download"] + urls + ["--into", folder.path, "-H", "X-Tenant: a"]).status == 0)
        }
    }

    @Test(arguments: ["Content-Disposition: attachment; filename=Makefile", "Location: /Makefile"])
    func `The option --replace replaces no file with a name that the server chooses`(field: String) async throws {
        try await withTemporaryDirectory { folder in
            _ = try folder.file("Makefile", "mine")
            let redirect: Script = [.receiveHead, .send("HTTP/1.1 302 Found\r\n\(field)\r\nContent-Length: 0\r\n\r\n")]
            let script = field.hasPrefix("Location") ? redirect + Self.file("new") : Self.file("new", field)
            try await withScriptedServer([script]) { server in
                let url = "http://\(server.authority)/a.txt"
                let outcome = try await Tool.run("download", url, "--replace", "-L", "--into", folder.path)
                #expect(outcome.status == 23)
                let path = folder.appendingPathComponent("Makefile").path
                #expect(outcome.errors.contains("\(path) already exists, and the server chose this name"))
                #expect(outcome.errors.contains("sallyport download URL \(path)"), "\(outcome.errors)")
                #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
                #expect(try folder.names == ["Makefile"])
            }
        }
    }

    @Test func `The option --replace replaces the file with the name in the URL`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("a.txt", "mine")
            try await withScriptedServer([Self.file("new", "Content-Disposition: attachment; filename=a.txt")]) {
                server in
                let url = "http://\(server.authority)/a.txt?version=2"
                let outcome = try await Tool.run("download", url, "--replace", "--into", folder.path)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
            }
        }
    }
}
