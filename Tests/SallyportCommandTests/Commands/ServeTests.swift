import Foundation
import TestSupport
import Testing

@Suite struct ServeTests {
    @Test("serve prints its URL and a command that calls it, and ends by Control-C with 0")
    func serve() async throws {
        try await withTemporaryDirectory { folder in
            let authority = folder.appendingPathComponent("ca.pem").path
            let server = try Tool.start(["serve", "--ca-file", authority])
            let announcement = try await server.output(containing: "Control-C")
            let lines = announcement.split(separator: "\n")
            let base = String(try #require(lines.first))
            #expect(base.hasPrefix("https://127.0.0.1:"))
            #expect(lines[1] == "Try: sallyport get \(base)/echo --cacert \(authority)")
            let call = try await Tool.run("get", base + "/echo", "--cacert", authority)
            #expect(try call.echo.method == "GET")
            server.interrupt()
            #expect(try await server.outcome().status == 0)
        }
    }

    @Test("serve --no-tls serves plain HTTP")
    func plain() async throws {
        let server = try Tool.start(["serve", "--no-tls"])
        let announcement = try await server.output(containing: "Control-C")
        #expect(announcement.hasPrefix("http://127.0.0.1:"))
        #expect(!announcement.contains("--cacert"))
        server.interrupt()
        #expect(try await server.outcome().status == 0)
    }

    @Test("serve refuses an address that it cannot listen on, and a CA file that cannot be written")
    func unusable() async throws {
        let address = try await Tool.run("serve", "--host", "192.0.2.1", "--no-tls")
        #expect(address.status == 7)
        #expect(address.errors.contains("192.0.2.1"))
        let file = try await Tool.run("serve", "--ca-file", "/no/such/folder/ca.pem")
        #expect(file.status == 23)
        #expect(file.errors.contains("/no/such/folder/ca.pem"))
        #expect(try await Tool.run("serve", "--port", "70000").status == 2)
    }
}
