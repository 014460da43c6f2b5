import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ServePayloadTests {
    @Test func `The command serve creates a key for payload encryption once, and requires it for a path`() async throws
    {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("payload.json")
            var keys: [String] = []
            for _ in 1...2 {
                let server = try Tool.start([
                    "serve", "--no-tls", "--payload-key", file.path, "--require-encryption", "/echo",
                    "--require-encryption", "/resources/accounts",
                ])
                let announcement = try await server.output(containing: "Control-C")
                let base = String(try #require(announcement.split(separator: "\n").first))
                keys.append(try await Tool.run("get", base + "/api/v1/payload/keys").text)
                let testURL = String(try #require(announcement.firstMatch(of: /Test routes: (\S+)/)?.1))
                for url in [testURL + "/echo", base + "/resources/accounts"] {
                    #expect(try await Tool.run("get", url).text.contains("encryption_required"))
                }
                #expect(try await Tool.run("get", base + "/resources/public", "--fail").status == 0)
                #expect(try await Tool.run("get", base + "/health").text.contains("ok"))
                server.interrupt()
                #expect(try await server.outcome().status == 0)
            }
            #expect(keys[0].contains("X25519"))
            #expect(keys[0] == keys[1])
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `Options that do not fit together, and files that contain no key, are refused`() async throws {
        try await withTemporaryDirectory { folder in
            let path = try await Tool.run("serve", "--no-tls", "--require-encryption", "/echo")
            #expect(path.status == 2)
            #expect(path.errors.contains("--payload-key"))
            let relative = try await Tool.run("serve", "--no-tls", "--payload-key", "k", "--require-encryption", "echo")
            #expect(relative.status == 2)
            #expect(relative.errors.contains("slash"))

            let file = folder.appendingPathComponent("key.json")
            let dots = try await Tool.run(
                "serve",
                "--no-tls",
                "--payload-key",
                file.path,
                "--require-encryption",
                "/a/../b"
            )
            #expect(dots.status == 2)
            #expect(dots.errors.contains("--require-encryption: The path /a/../b"), "\(dots.errors)")
            for content in ["no key", #"{"kty":"oct","k":"AAAA"}"#] {
                try Data(content.utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
                let refused = try await Tool.run("serve", "--no-tls", "--payload-key", file.path)
                #expect(refused.status != 0)
                #expect(refused.errors.contains(file.path))
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            let shared = try await Tool.run("serve", "--no-tls", "--payload-key", file.path)
            #expect(shared.errors.contains("\(file.path) can be read or changed by others"), "\(shared.errors)")
            #expect(shared.errors.contains("chmod 600"))
        }
    }
}
