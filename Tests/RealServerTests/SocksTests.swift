import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.socks != nil, "run .ci/real-servers to have microsocks started")
)
struct SocksTests {
    private let plain = RealServer.nginx ?? ""
    private let secure = RealServer.nginxTLS ?? ""
    private let open = RealServer.socks ?? ""
    private let closed = RealServer.socksWithUser ?? ""
    private let user = RealServer.socksUser ?? ""

    private func failure(_ url: String, _ proxy: String) async throws -> String {
        let client = HttpClient.proxied(by: .proxy(try Proxy(proxy)))
        let error = await #expect(throws: NetworkError.self) { try await client.get(url) }
        guard case .connectionFailed(let failure) = error else {
            return "not a failed connection: \(String(describing: error))"
        }
        #expect(failure.phase == .connect)
        return failure.description
    }

    @Test(arguments: ["socks5", "socks5h"])
    func `Calls reach nginx with and without TLS, with names resolved locally or by the proxy`(scheme: String)
        async throws
    {
        for proxy in ["\(open)", "\(user)@\(closed)", "\(user)@\(open)"] {
            let client = HttpClient.proxied(by: .proxy(try Proxy("\(scheme)://\(proxy)")))
            for server in [plain, secure] {
                for number in 0..<3 {
                    let response = try await client.get("\(server)/proxied")
                    #expect(response.bodyAsString() == "GET [] via []")
                    #expect(proxy.hasSuffix(response.connection.remoteAddress ?? "nothing"))
                    #expect(response.connection.isReused == (number > 0))
                }
            }
        }
    }

    @Test func `A file arrives unchanged`() async throws {
        let file = try Data(
            contentsOf: URL(fileURLWithPath: RealServer.nginxFiles ?? "").appendingPathComponent("bytes.bin")
        )
        let client = HttpClient.proxied(by: .proxy(try Proxy("socks5h://\(user)@\(closed)")))
        #expect(try await client.get("\(secure)/bytes.bin").body == file)
    }

    @Test func `Without a user or with a wrong password, the proxy refuses the connection`() async throws {
        let without = try await failure(plain, "socks5://\(closed)")
        #expect(without.contains("the proxy \(closed) requires authentication"), "\(without)")
        let wrong = try await failure(plain, "socks5h://sallyport:canary@\(closed)")
        #expect(wrong.contains("the proxy \(closed) accepts neither the user nor the password"), "\(wrong)")
        #expect(!wrong.contains("canary"))
    }

    @Test func `The error for a server that the proxy cannot reach states the reason`() async throws {
        let text = try await failure("http://127.0.0.1:1/", "socks5://\(open)")
        #expect(text.contains("the proxy \(open) opened no connection to 127.0.0.1 on port 1"), "\(text)")
        #expect(text.contains("refused"), "\(text)")
    }
}
