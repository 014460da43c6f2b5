import Foundation
import NIOCore
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct GatewayTests {
    private struct Mishap: Error {}

    /// Returns the status of the response to a GET request.
    private func status(_ path: String, at port: Int) async throws -> String {
        let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        return String(try await exchange(port: port, request).dropFirst(9).prefix(3))
    }

    @Test func `The gateway listens on a free loopback port and returns the closure's result`() async throws {
        let answer = try await Gateway.withRunning { address in
            #expect(address.host == "127.0.0.1")
            #expect(address.port > 0)
            #expect(address.baseURL == "http://127.0.0.1:\(address.port)")
            return try await exchange(
                port: address.port,
                "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
        }
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func `Test routes have a port of their own, and do not set the cookies of the authorization server`()
        async throws
    {
        var identity = try AuthorizationServerConfiguration.development()
        identity.signatureAlgorithms = [.es256]
        var configuration = GatewayConfiguration(authorizationServer: try AuthorizationServer(identity))
        configuration.testPort = 0
        try await Gateway.withRunning(configuration) { address in
            #expect(address.testPort != address.port && address.testURL == "http://127.0.0.1:\(address.testPort)")
            for port in [address.port, address.testPort] {
                let health = try await status("/health", at: port)
                #expect(health == "200")
            }
            for path in ["/echo", "/redirect-to?url=https://example.com", "/cookies/set?a=1", "/files", "/bytes/1"] {
                #expect(try await status(path, at: address.port) == "404", "\(path)")
                #expect(try await status(path, at: address.testPort) != "404", "\(path)")
            }
            #expect(try await status("/authorize", at: address.testPort) == "404")
            #expect(try await status("/cookies/set?iPlanetDirectoryPro=attacker", at: address.testPort) == "400")
        }
    }

    @Test func `A port for test routes that is in use or invalid stops the gateway`() async throws {
        try await Gateway.withRunning { address in
            var configuration = GatewayConfiguration()
            configuration.testPort = address.port
            let error = await #expect(throws: GatewayError.self) {
                try await Gateway.withRunning(configuration) { _ in }
            }
            #expect(error?.description.contains("port \(address.port): the address is already in use") == true)
        }
        var configuration = GatewayConfiguration()
        configuration.testPort = -1
        await #expect(throws: GatewayError.invalidPort(-1)) { try await Gateway.withRunning(configuration) { _ in } }
    }

    @Test func `The gateway rethrows the closure's error`() async throws {
        await #expect(throws: Mishap.self) {
            try await Gateway.withRunning { _ in throw Mishap() }
        }
    }

    @Test func `The error for a port in use names the address and port`() async throws {
        try await Gateway.withRunning { address in
            let error = await #expect(throws: GatewayError.self) {
                try await Gateway.withRunning(GatewayConfiguration(port: address.port)) { _ in }
            }
            #expect(
                error?.description == """
                    The gateway cannot listen on 127.0.0.1, port \(address.port): the address is already in use; \
                    stop the program that uses it, or choose another port
                    """
            )
        }
    }

    @Test(arguments: [-1, 65_536])
    func `An invalid port is refused`(port: Int) async throws {
        await #expect(throws: GatewayError.invalidPort(port)) {
            try await Gateway.withRunning(GatewayConfiguration(port: port)) { _ in }
        }
    }

    @Test func `A host that is not an address of this machine is refused with the reason`() async throws {
        for (host, reason) in [
            ("192.0.2.1", "the address is not available on this machine"),
            ("not a host", "the host name cannot be resolved"),
        ] {
            await #expect(throws: GatewayError.cannotListen(host: host, port: 0, reason: reason)) {
                try await Gateway.withRunning(GatewayConfiguration(host: host)) { _ in }
            }
        }
    }

    @Test func `Several requests on one connection are answered, HEAD without a body`() async throws {
        try await Gateway.withRunning { address in
            let head = "HEAD /stream/3 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let last = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let answer = try await exchange(port: address.port, head + head + last)
            let answers = answer.components(separatedBy: "HTTP/1.1 200 OK\r\n")
            #expect(answers.count == 4)
            #expect(answers[1].hasSuffix("\r\n\r\n"))
            #expect(answers[1].contains("Content-Length: 33\r\n"))
            #expect(answers[3].hasSuffix("{\n  \"status\" : \"ok\"\n}\n"))
        }
    }

    @Test func `A chunked body ends with its trailers`() async throws {
        try await Gateway.withRunning { address in
            let request = "GET /stream/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let answer = try await exchange(port: address.port, request)
            #expect(answer.contains("\r\n\r\nb\r\n{\"line\":0}\n\r\n0\r\nRepr-Digest: sha-256=:"))
        }
    }

    @Test func `A request with Expect: 100-continue receives a 100 response before the final one`() async throws {
        try await Gateway.withRunning { address in
            let request = """
                POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n
                """
            let answer = try await exchange(port: address.port, request + "hi")
            #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("\"host\" : [\n      \"localhost\"\n    ]"))
        }
    }

    @Test func `A delayed request is answered with 503 when the gateway shuts down`() async throws {
        let start = ContinuousClock.now
        let client = try await Gateway.withRunning(GatewayConfiguration(shutdownGrace: .seconds(600))) { address in
            await startRequest(port: address.port, "GET /delay/60000 HTTP/1.1\r\nHost: localhost\r\n")
        }
        #expect(try await client.value.contains("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `A client that never completes its request is disconnected after the shutdown grace period`()
        async throws
    {
        let start = ContinuousClock.now
        let configuration = GatewayConfiguration(shutdownGrace: .milliseconds(50))
        let client = try await Gateway.withRunning(configuration) { address in
            await startRequest(port: address.port, "POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n")
        }
        // The end of the connection may also be a reset, which is an error and loses what was received before it.
        if case .success(let answer) = await client.result {
            #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\n"))
            #expect(!answer.contains("HTTP/1.1 2"))
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    /// Sends a request head, and returns when the gateway handles it; the task collects the response until the close.
    private func startRequest(port: Int, _ head: String) async -> Task<String, any Error> {
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let client = Task {
            defer { continuation.finish() }
            return try await withConnection(port: port) { inbound, outbound in
                try await outbound.write(ByteBuffer(string: head + "Expect: 100-continue\r\n\r\n"))
                var answer = ""
                for try await buffer in inbound {
                    continuation.yield()
                    answer += String(buffer: buffer)
                }
                return answer
            }
        }
        _ = await started.first { true }
        return client
    }
}
