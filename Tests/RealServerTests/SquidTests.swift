import Foundation
import Sallyport
import TestSupport
import Testing

// One at a time: while Squid checks a user's password for the first time, a wrong password of the same user refuses both.
@Suite(
    .concurrencyLimited,
    .serialized,
    .enabled(if: RealServer.squid != nil, "run .ci/real-servers to have squid started")
)
struct SquidTests {
    private let plain = RealServer.nginx ?? ""
    private let secure = RealServer.nginxTLS ?? ""
    private let address = RealServer.squid ?? ""
    private let user = RealServer.squidUser ?? ""

    private func client(_ user: String?) throws -> HttpClient {
        .proxied(by: .proxy(try Proxy("http://\(user.map { "\($0)@" } ?? "")\(address)")))
    }

    private func failure(_ url: String, _ user: String?) async throws -> String {
        let client = try client(user)
        let error = await #expect(throws: NetworkError.self) { try await client.get(url) }
        guard case .connectionFailed(let failure) = error else {
            return "not a failed connection: \(String(describing: error))"
        }
        #expect(failure.phase == .connect)
        return failure.description
    }

    @Test func `The proxy forwards requests for http URLs without the credentials`() async throws {
        let client = try client(user)
        for number in 0..<5 {
            let response = try await client.get("\(plain)/proxied")
            #expect(response.status == .ok)
            #expect(response.bodyAsString().hasPrefix("GET [] via [1.1 squid.test"))
            #expect(response.connection.remoteAddress == address)
            #expect(response.connection.isReused == (number > 0))
        }
    }

    @Test func `The proxy opens a tunnel to a TLS server, which receives no proxy fields`() async throws {
        let client = try client(user)
        for number in 0..<5 {
            let response = try await client.get("\(secure)/proxied")
            #expect(response.bodyAsString() == "GET [] via []")
            #expect(response.connection.remoteAddress == address)
            #expect(response.connection.tlsVersion == "TLSv1.3")
            #expect(response.connection.isReused == (number > 0))
        }
    }

    @Test func `The proxy can be reached over TLS, for http URLs and for tunnels`() async throws {
        let client = HttpClient.proxied(by: .proxy(try Proxy("https://\(user)@\(RealServer.squidTLS ?? "")")))
        for number in 0..<3 {
            let forwarded = try await client.get("\(plain)/proxied")
            #expect(forwarded.bodyAsString().hasPrefix("GET [] via [1.1 squid.test"))
            let tunneled = try await client.get("\(secure)/proxied")
            #expect(tunneled.bodyAsString() == "GET [] via []")
            #expect(tunneled.connection.tlsVersion == "TLSv1.3")
            #expect([forwarded, tunneled].allSatisfy { $0.connection.isReused == (number > 0) })
        }
        let file = URL(fileURLWithPath: RealServer.nginxFiles ?? "").appendingPathComponent("bytes.bin")
        #expect(try await client.get("\(secure)/bytes.bin").body == Data(contentsOf: file))
    }

    @Test func `A file arrives unchanged over plain HTTP and TLS`() async throws {
        let file = try Data(
            contentsOf: URL(fileURLWithPath: RealServer.nginxFiles ?? "").appendingPathComponent("bytes.bin")
        )
        let client = try client(user)
        for server in [plain, secure] {
            #expect(try await client.get("\(server)/bytes.bin").body == file)
        }
    }

    @Test func `Without valid credentials, a request for an http URL returns 407`() async throws {
        for user in [nil, "sallyport:wrong", "nobody:x"] {
            let response = try await client(user).get("\(plain)/proxied")
            #expect(response.status.code == 407)
            #expect(response.getHeader(name: "Proxy-Authenticate") == "Basic realm=\"sallyport\"")
        }
    }

    @Test func `Without valid credentials, no tunnel is opened, and the error states the reason`() async throws {
        let without = try await failure(secure, nil)
        #expect(without.contains("the proxy \(address) requires a user and a password (407)"), "\(without)")
        for user in ["sallyport:canary", "canary:x"] {
            let wrong = try await failure(secure, user)
            #expect(wrong.contains("the proxy \(address) accepts neither the user nor the password (407)"), "\(wrong)")
            #expect(!wrong.contains("canary"))
        }
    }

    @Test func `The error for a forbidden or unreachable server contains the proxy's status`() async throws {
        let forbidden = try await failure("https://forbidden.test/", user)
        #expect(forbidden.contains("opened no tunnel to forbidden.test:443: it answered 403"), "\(forbidden)")
        let unreachable = try await failure("https://127.0.0.1:1/", user)
        #expect(unreachable.contains("it answered 503"), "\(unreachable)")
    }

    @Test func `An exception is requested directly`() async throws {
        let proxy = try Proxy("http://\(user)@\(address)")
        let response = try await HttpClient.proxied(by: .proxy(proxy, except: ["127.0.0.1"])).get("\(plain)/proxied")
        #expect(response.bodyAsString() == "GET [] via []")
    }
}
