import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PinTests {
    private static let otherPin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test func `The command pins prints the pins of the chain in the format of --pin`() async throws {
        try await withSecureGateway { base, authority in
            let server = base.replacing("https://", with: "")
            let printed = try await Tool.run("pins", server, "--cacert", authority)
            #expect(printed.status == 0)
            let lines = printed.text.split(separator: "\n")
            #expect(lines.count == 2)
            for line in lines {
                let pin = "127.0.0.1=" + line.prefix { $0 != " " }
                let pinned = try await Tool.run("get", base + "/echo", "--cacert", authority, "--pin", pin)
                #expect(try pinned.echo.method == "GET")
            }
        }
    }

    @Test func `A server that does not match the pins is refused with 90 and its actual pins, unless a backup matches`()
        async throws
    {
        try await withSecureGateway { base, authority in
            let call = ["get", base + "/echo", "--cacert", authority, "--pin", "127.0.0.1=\(Self.otherPin)"]
            let refused = try await Tool.run(call)
            #expect(refused.status == 90)
            #expect(refused.output.isEmpty)
            #expect(refused.errors.contains("expected \(Self.otherPin); received sha256/"))
            let server = base.replacing("https://", with: "")
            let pin = try await Tool.run("pins", server, "--cacert", authority).text.prefix { $0 != " " }
            #expect(try await Tool.run(call + ["--pin", "127.0.0.1=\(pin)"]).status == 0)
        }
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.1=sha256/AAAA", "127.0.0.1=sha1/AAAA", "*=sha256/AAAA", "127.0.0.1="])
    func `A malformed pin is refused before a connection is opened`(argument: String) async throws {
        try await withScriptedServer([[.stall]]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "--pin", argument)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("--pin"))
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `The pins of an untrusted server are not printed`() async throws {
        try await withSecureGateway { base, _ in
            let outcome = try await Tool.run("pins", base.replacing("https://", with: ""))
            #expect(outcome.status == 60)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("the certificate of 127.0.0.1 was issued by "), "\(outcome.errors)")
            let nowhere = try await Tool.run("pins", "not a host")
            #expect(nowhere.status == 3)
            #expect(nowhere.errors.contains("has no valid host and port"), "\(nowhere.errors)")
        }
    }

    @Test func `The option --key-log writes the keys of the connection to a private file`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("keys.log").path
            try await withSecureGateway { base, authority in
                _ = try await Tool.run("get", base + "/echo", "--cacert", authority, "--key-log", file).echo
            }
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("CLIENT_TRAFFIC_SECRET_0 "))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }
}
