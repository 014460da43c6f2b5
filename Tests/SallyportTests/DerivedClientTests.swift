import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import SallyportTransport
import Testing
import TestSupport

@testable import Sallyport

@Suite(.concurrencyLimited) struct DerivedClientTests {
    private func isClosed(_ client: HttpClient) async -> Bool {
        do {
            _ = try await client.request { request in request.url = "https://api.example.com/" }
            return false
        } catch {
            if case .clientClosed = error { return true }
            return false
        }
    }

    @Test func `A derived client shares the connections of the original`() async throws {
        let answer = ScriptStep.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await withScriptedServer([[.receiveHead, answer, .receiveHead, answer]]) { server in
            let client = HttpClient.createClient()
            defer { client.close() }
            let other = client.derived { config in config.timeout = 5 }
            for client in [client, other] {
                _ = try await client.request { request in request.url = "http://\(server.authority)/" }
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `A derived client has the original's configuration and cookies, except for its changes`() async throws {
        let server = MockTransport { _ in .text("hello").header(.setCookie, "a=1") }
        let client = HttpClient.createClient { config in
            config.transport = server
            config.onRequest { request in request.setHeader(name: "X-App", value: "1") }
        }
        let other = client.derived { config in
            config.onRequest { request in request.setHeader(name: "X-Other", value: "2") }
        }
        _ = try await client.request { request in request.url = "https://api.example.com/" }
        _ = try await other.request { request in request.url = "https://api.example.com/" }
        #expect(server.requests.map { $0.header("X-App") } == ["1", "1"])
        #expect(server.requests.map { $0.header("X-Other") } == [nil, "2"])
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "a=1"])
    }

    @Test func `Closing or shutting down a derived client does not close the original`() async throws {
        let client = HttpClient.createClient { config in config.transport = MockTransport { _ in .text("hello") } }
        let (first, second) = (client.derived { _ in }, client.derived { _ in })
        first.close()
        await second.shutdown(grace: .zero)
        #expect(await isClosed(first))
        #expect(await isClosed(second))
        #expect(await !isClosed(client))
        #expect(await !isClosed(client.derived { _ in }))
    }

    @Test func `Closing the original closes clients derived from it, directly and indirectly`() async throws {
        let client = HttpClient.createClient { config in config.transport = MockTransport { _ in .text("hello") } }
        let derived = client.derived { _ in }.derived { _ in }
        #expect(await !isClosed(derived))
        client.close()
        #expect(await isClosed(derived))
    }

    @Test func `Connections stay open until the last of the clients is released`() async throws {
        let answer = ScriptStep.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await withScriptedServer([[.receiveHead, answer, .receiveHead, answer]]) { server in
            var derived: HttpClient? = HttpClient.createClient().derived { _ in }
            for _ in 0..<2 {
                _ = try await derived?.request { request in request.url = "http://\(server.authority)/" }
            }
            #expect(server.acceptedConnections == 1)
            derived = nil
            try await server.connection(0).waitUntilClosedByClient()
        }
    }

    @Test func `Calls of a derived client with another transport or proxy, or with fewer pins, are refused`()
        async throws
    {
        let server = MockTransport { _ in .text("hello") }
        let pin = try pin(1)
        server.present([pin])
        let client = try HttpClient.createClient { config in
            config.transport = server
            try config.pins.pin(HostPattern("api.example.com"), to: [pin])
        }
        let refused = [
            client.derived { config in config.transport = MockTransport() },
            client.derived { config in config.proxy = .environment },
            client.derived { config in config.pins = CertificatePins() },
        ]
        for client in refused {
            await expectError(\NetworkError.kind, "invalidRequest") {
                try await client.request { request in request.url = "https://api.example.com/" }
            }
        }
        #expect(server.requests.isEmpty)
        _ = try await client.derived { _ in }.request { request in request.url = "https://api.example.com/" }
        #expect(server.requests.count == 1)
    }

    @Test func `A derived client that is refused stays refused when its timeout is set`() async throws {
        let server = MockTransport { _ in .text("hello") }
        let client = HttpClient.createClient { config in config.transport = server }
        let refused = client.derived { config in config.proxy = .environment }
        for client in [refused, refused.derived { config in config.timeout = 5 }] {
            await expectError(\NetworkError.kind, "invalidRequest") {
                try await client.request { request in request.url = "https://api.example.com/" }
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `A client of a transport without pinning can be derived, but not with pins`() async throws {
        let server = MockTransport { _ in .text("hello") }
        let client = HttpClient.createClient { config in config.transport = TransportWithoutPinning(server: server) }
        _ = try await client.derived { _ in }.request { request in request.url = "https://api.example.com/" }
        let pinned = try client.derived { config in try config.pins.pin(HostPattern("api.example.com"), to: [pin(1)]) }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await pinned.request { request in request.url = "https://api.example.com/" }
        }
        #expect(server.requests.count == 1)
    }

    @Test func `Releasing a client closes the pinned copy of the given transport only`() async throws {
        let server = PinningRecorder()
        var client: HttpClient? = try HttpClient.createClient { config in
            config.transport = server
            try config.pins.pin(HostPattern("api.example.com"), to: [pin(1)])
        }
        let copy = try #require(server.copy)
        #expect(!copy.isClosed)
        _ = client
        client = nil
        #expect(copy.isClosed)
        #expect(!server.isClosed)
    }

    @Test func `A derived client can add pins, and its connections must match them`() async throws {
        let root = try TestAuthority()
        let tls = ServerTLS(identity: try root.serverIdentity(hosts: ["localhost"]))
        let answer = ScriptStep.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await withScriptedServer([[.receiveHead, answer, .receiveHead, answer]], tls: tls) { server in
            let client = HttpClient.createClient { config in
                config.transportConfiguration.security.trustRoots = .pem(root.certificatePEM)
            }
            defer { client.close() }
            let url = "https://localhost:\(server.port)/"
            let wrong = try client.derived { config in
                try config.pins.pin(HostPattern("localhost"), to: [pin(1)])
            }
            let right = try client.derived { config in
                try config.pins.pin("localhost", to: [CertificatePin(certificatePEM: root.certificatePEM).description])
            }
            for _ in 0..<2 { _ = try await client.request { request in request.url = url } }
            await expectError(\NetworkError.kind, "pinMismatch") {
                try await wrong.request { request in request.url = url }
            }
            _ = try await right.request { request in request.url = url }
            let connections = server.acceptedConnections
            // A client that is derived without pins of its own uses the connections of the one with pins.
            _ = try await right.forUser().request { request in request.url = url }
            #expect(server.acceptedConnections == connections)
            #expect(server.requests.count == 4)
        }
    }

    @Test func `Closing the original fails running calls of a derived client with its own pins`() async throws {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let key = try pin(1)
        let server = MockTransport { _ in
            ask.yield()
            return .stall
        }
        server.present([key])
        let client = HttpClient.createClient { config in config.transport = server }
        let derived = try client.derived { config in
            config.timeout = .infinity
            try config.pins.pin(HostPattern("api.example.com"), to: [key])
        }
        let user = derived.forUser()
        let call = Task {
            await failure { () async throws(NetworkError) in
                try await user.request { request in request.url = "https://api.example.com/" }
            }
        }
        for await _ in asked { break }
        client.close()
        let error = try await withDeadline(.patience, "the call of a closed client") { await call.value }
        #expect(error?.kind == "clientClosed")
    }

    /// Returns the pin of a key that no server has.
    private func pin(_ byte: UInt8) throws -> CertificatePin {
        try CertificatePin("sha256/" + Data(repeating: byte, count: 32).base64EncodedString())
    }
}

private struct TransportWithoutPinning: Transport {
    let server: MockTransport

    func send(_ request: TransportRequest, in scope: ExchangeScope) async throws(NetworkError) -> TransportResponse {
        try await server.send(request, in: scope)
    }

    func close() { server.close() }

    func shutdown(grace: Duration) async { await server.shutdown(grace: grace) }
}

/// A transport that records its copies with pins, and whether they are closed.
private final class PinningRecorder: PinningTransport {
    private let state = Locked<(isClosed: Bool, copy: PinningRecorder?)>((false, nil))

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var copy: PinningRecorder? { state.withLock { $0.copy } }

    func adding(_ pins: CertificatePins) -> any PinningTransport {
        let copy = PinningRecorder()
        state.withLock { $0.copy = copy }
        return copy
    }

    func send(_ request: TransportRequest, in scope: ExchangeScope) async throws(NetworkError) -> TransportResponse {
        throw .clientClosed("the transport sends nothing")
    }

    func close() { state.withLock { $0.isClosed = true } }

    func shutdown(grace: Duration) async { close() }
}
