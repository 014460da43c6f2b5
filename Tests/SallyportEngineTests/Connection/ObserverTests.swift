import HTTPTypes
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ObserverTests {
    private struct Counts: Sendable {
        var opened = 0
        var closed = 0
        /// The number of connections that were closed after a positive duration.
        var durations = 0
        var waiting = 0
        /// The number of exchanges that have waited.
        var waits = 0
        var sent = 0
        var received = 0
        var servers: Set<ServerOrigin> = []
    }

    private struct Counting: TransportObserver {
        let counts = Watched(Counts())

        func connectionOpened(to server: ServerOrigin) { note(server) { $0.opened += 1 } }
        func connectionClosed(to server: ServerOrigin, after duration: Duration) {
            note(server) { counts in
                counts.closed += 1
                if duration > .zero { counts.durations += 1 }
            }
        }
        func sent(bytes: Int, to server: ServerOrigin) { note(server) { $0.sent += bytes } }
        func received(bytes: Int, from server: ServerOrigin) { note(server) { $0.received += bytes } }

        func waitingExchanges(changedBy change: Int, for server: ServerOrigin) {
            note(server) { counts in
                counts.waiting += change
                if change > 0 { counts.waits += change }
            }
        }

        private func note(_ server: ServerOrigin, _ change: (inout Counts) -> Void) {
            counts.update { counts in
                counts.servers.insert(server)
                change(&counts)
            }
        }
    }

    private let observer = Counting()

    private var counts: Counts { observer.counts.value }

    private func engine(_ change: (inout TransportConfiguration) -> Void = { _ in }) -> Engine {
        var configuration = TransportConfiguration(observer: observer)
        change(&configuration)
        return Engine(configuration: configuration)
    }

    private func request(
        _ server: ScriptedServer,
        scheme: String = "http",
        body: String = "",
        timeouts: Timeouts = .patient
    ) -> TransportRequest {
        let head = HTTPRequest(method: .put, scheme: scheme, authority: server.authority, path: "/")
        return TransportRequest(head: head, body: .data(.init(body.utf8)), timeouts: timeouts)
    }

    private func send(_ request: TransportRequest, by engine: Engine) async throws {
        try await engine.send(request) { _ = try await $0.body.collect(upTo: 1000) }
    }

    /// The first call waits for its connection to be opened, the second for that connection to become free.
    private func waitForSecondWait() async throws {
        try await observer.counts.wait("the second call to wait") { $0.waits == 2 }
    }

    @Test func `All bytes sent and received on a plain connection are counted`() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        try await withScriptedServer([[.repeating([.receiveRequest, .send(answer)], times: 3)]]) { server in
            let engine = engine()
            for _ in 0..<3 { try await send(request(server, body: "a body"), by: engine) }
            await engine.shutdown(grace: .seconds(5))
            let connection = try await server.connection(0)
            #expect(counts.sent == connection.receivedText.utf8.count)
            #expect(counts.received == 3 * answer.utf8.count)
            #expect(counts.servers == [ServerOrigin(scheme: "http", host: "127.0.0.1", port: server.port)])
        }
    }

    @Test func `With TLS the encrypted bytes are counted`() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity())
        try await withScriptedServer([[.receiveRequest, .send(answer)]], tls: tls) { server in
            let engine = engine { $0.security.trustRoots = .pem(authority.certificatePEM) }
            try await send(request(server, scheme: "https"), by: engine)
            await engine.shutdown(grace: .seconds(5))
            let inside = try await server.connection(0).receivedText.utf8.count
            #expect(counts.sent > inside)
            #expect(counts.received > answer.utf8.count)
            #expect(counts.opened == 1 && counts.closed == 1)
        }
    }

    @Test func `Each opened connection is also reported as closed`() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        try await withScriptedServer([[.receiveRequest, .send(answer), .close]]) { server in
            let engine = engine { $0.connections.perHost = 4 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { try await send(request(server), by: engine) } }
                try await group.waitForAll()
            }
            await engine.shutdown(grace: .seconds(5))
            #expect(counts.opened == 50)
            #expect(counts.closed == 50 && counts.durations == 50)
            #expect(counts.waiting == 0)
        }
    }

    @Test func `Calls waiting for a connection are counted until they have one`() async throws {
        let (arrived, answer) = (Signal(), Signal())
        let response = ScriptStep.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let script = [.receiveRequest, .fire(arrived), .waitFor(answer), response, .receiveRequest, response]
        try await withScriptedServer([script]) { server in
            let engine = engine { $0.connections.perHost = 1 }
            async let first: Void = send(request(server), by: engine)
            try await arrived.wait()
            #expect(counts.waiting == 0)
            async let second: Void = send(request(server), by: engine)
            try await waitForSecondWait()
            #expect(counts.waiting == 1)
            answer.fire()
            try await first
            try await second
            #expect(counts.waiting == 0)
            engine.close()
        }
    }

    enum Ending: CaseIterable {
        case cancelled, tooLate, closed
    }

    @Test(arguments: Ending.allCases)
    func `Calls that end while waiting for a connection are no longer counted`(_ ending: Ending) async throws {
        let arrived = Signal()
        try await withScriptedServer([[.receiveRequest, .fire(arrived), .stall]]) { server in
            let engine = engine { $0.connections.perHost = 1 }
            async let first: Void? = try? send(request(server), by: engine)
            try await arrived.wait()
            let queue: Duration = ending == .tooLate ? .milliseconds(300) : .seconds(60)
            let second = Task { try await send(request(server, timeouts: Timeouts(queue: queue)), by: engine) }
            try await waitForSecondWait()
            switch ending {
            case .cancelled: second.cancel()
            case .tooLate: break
            case .closed: engine.close()
            }
            let kind =
                switch ending {
                case .cancelled: "cancelled"
                case .tooLate: "timeout"
                case .closed: "clientClosed"
                }
            await expectError(\NetworkError.kind, kind) { try await second.value }
            #expect(counts.waiting == 0)
            engine.close()
            _ = await first
        }
    }

    @Test func `A refused connection is not reported as open, and no call is left waiting`() async throws {
        try await withSilentPort { port in
            let engine = engine()
            defer { engine.close() }
            let head = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: "/")
            await expectError(\NetworkError.kind, "connectionFailed") {
                try await engine.send(TransportRequest(head: head)) { _ in }
            }
            #expect(counts.opened == 0)
            #expect(counts.waiting == 0)
        }
    }
}
