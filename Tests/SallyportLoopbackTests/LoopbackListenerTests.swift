#if os(Linux) || os(macOS)
import Foundation
import NIOCore
import NIOPosix
import Sallyport
import SallyportLoopback
import TestSupport
import Testing

import SallyportOAuth

@testable import SallyportLoopback

@Suite(.concurrencyLimited) struct LoopbackListenerTests {
    private static func port(_ listener: LoopbackListener) -> Int {
        Int(listener.redirectURI.split(separator: ":")[2].prefix { $0 != "/" }) ?? 0
    }

    /// Runs a listener that waits for the state `s1`, and returns its callback.
    private static func visit(
        path: String = "/callback",
        state: String = "s1",
        _ visits: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws -> String {
        try await withDeadline(.patience, "the callback") {
            try await LoopbackListener.withListener(path: path) { listener in
                async let callback = listener.callback(state: state)
                try await visits(port(listener))
                return try await callback.replacing("127.0.0.1:\(port(listener))", with: "HERE")
            }
        }
    }

    private static func request(_ target: String, _ port: Int, method: String = "GET", host: String? = nil) -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\r\n"
    }

    @Test func `The callback ends the wait, and the browser shows a page without secrets that can be closed`()
        async throws
    {
        let callback = try await Self.visit { port in
            let answer = try await Visitor.send(Self.request("/callback?code=canary-code&state=s1", port), to: port)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("<h1>You can close this page</h1>") && !answer.contains("canary"))
            #expect(
                answer.contains("Cache-Control: no-store\r\n") && answer.contains("Referrer-Policy: no-referrer\r\n")
            )
            #expect(answer.contains("Content-Security-Policy: default-src 'none'; style-src 'sha256-"))
        }
        #expect(callback == "http://HERE/callback?code=canary-code&state=s1")
    }

    @Test func `The error for a port in use names the port and the reason`() async throws {
        try await LoopbackListener.withListener { listener in
            let port = Self.port(listener)
            let error = await #expect(throws: NetworkError.self) {
                try await LoopbackListener.withListener(port: port) { _ in }
            }
            #expect(
                error?.failure.reason
                    == "cannot wait for the browser on 127.0.0.1, port \(port): the address is already in use"
            )
        }
    }

    @Test func `A callback with an error ends the wait`() async throws {
        let callback = try await Self.visit { port in
            _ = try await Visitor.send(Self.request("/callback?error=access_denied&state=s1", port), to: port)
        }
        #expect(callback == "http://HERE/callback?error=access_denied&state=s1")
    }

    @Test(
        arguments: [
            ("GET /favicon.ico HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("GET /callback/more?code=c&state=s1 HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("GET /call%62ack?code=c&state=s1 HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("GET http://HERE/callback?code=c&state=s1 HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("HEAD /callback?code=c&state=s1 HTTP/1.1\r\nHost: HERE\r\n\r\n", "405 Method Not Allowed"),
            (
                "POST /callback?code=c&state=s1 HTTP/1.1\r\nHost: HERE\r\nContent-Length: 2\r\n\r\nhi",
                "405 Method Not Allowed"
            ),
            ("GET /callback?code=c&state=s1 HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421 Misdirected Request"),
            ("GET /callback?code=c&state=s1 HTTP/1.1\r\nHost: HERE\r\nHost: HERE\r\n\r\n", "421 Misdirected Request"),
            ("GET /callback?code=c&state=s1 HTTP/1.1\r\n\r\n", "421 Misdirected Request"),
            ("GET /callback HTTP/1.1\r\nHost: HERE\r\n\r\n", "400 Bad Request"),
            ("GET /callback? HTTP/1.1\r\nHost: HERE\r\n\r\n", "400 Bad Request"),
            ("GET /callback?code=c HTTP/1.1\r\nHost: HERE\r\n\r\n", "400 Bad Request"),
            ("GET /callback?code=c&state=s2 HTTP/1.1\r\nHost: HERE\r\n\r\n", "400 Bad Request"),
            ("GET /callback?code=c&state=%ff HTTP/1.1\r\nHost: HERE\r\n\r\n", "400 Bad Request"),
            ("GET /callback?error=access_denied HTTP/1.1\r\nHost: HERE\r\n\r\n", "400 Bad Request"),
            ("GET /callback?code=c&state=s1&state=s2 HTTP/1.1\r\nHost: HERE\r\n\r\n", "400 Bad Request"),
            ("\u{16}\u{03}\u{01}\u{02}nonsense\r\n\r\n", "400 Bad Request"),
        ]
    )
    func `A request that is not the expected callback is refused, and the wait continues`(text: String, status: String)
        async throws
    {
        let callback = try await Self.visit { port in
            let answer = try await Visitor.send(text.replacing("HERE", with: "127.0.0.1:\(port)"), to: port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"))
            #expect(!answer.contains("close this page"))
            _ = try await Visitor.send(Self.request("/callback?code=right&state=s1", port), to: port)
        }
        #expect(callback == "http://HERE/callback?code=right&state=s1")
    }

    @Test func `The state is decoded before it is compared`() async throws {
        let escaped = try await Self.visit(path: "/cb", state: "a b/ö") { port in
            _ = try await Visitor.send(Self.request("/cb?state=a+b%2F%C3%B6&code=c", port), to: port)
        }
        #expect(escaped == "http://HERE/cb?state=a+b%2F%C3%B6&code=c")
    }

    @Test func `The number of error pages is limited, and repeated requests do not end the wait`()
        async throws
    {
        let callback = try await Self.visit { port in
            for _ in 0..<LoopbackServer.maximumErrorPages {
                let answer = try await Visitor.send(Self.request("/callback?error=no&state=s2", port), to: port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "))
            }
            for target in ["/callback?error=no&state=s2", "/favicon.ico"] {
                #expect(try await Visitor.send(Self.request(target, port), to: port).isEmpty)
            }
            #expect(
                try await Visitor.send(Self.request("/callback?code=c&state=s1", port), to: port).contains("close this")
            )
        }
        #expect(callback == "http://HERE/callback?code=c&state=s1")
    }

    @Test func `A request larger than 64 KiB is refused, and a long code is accepted`() async throws {
        let long = String(repeating: "c", count: 8_000)
        let callback = try await Self.visit { port in
            let field = "X-Field: \(String(repeating: "x", count: 7_000))\r\n"
            let head = "GET /callback?code=c&state=s1 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
            // If the listener has not read everything, the connection may be reset, and the response is lost.
            for rest in [String(repeating: field, count: 10) + "\r\n", String(repeating: "x", count: 70_000)] {
                let answer = try? await Visitor.send(head + rest, to: port)
                #expect(answer?.isEmpty != false || answer?.hasPrefix("HTTP/1.1 431 ") == true)
            }
            _ = try await Visitor.send(Self.request("/callback?code=\(long)&state=s1", port), to: port)
        }
        #expect(callback == "http://HERE/callback?code=\(long)&state=s1")
    }

    @Test func `Silent connections do not delay the callback and are closed with the listener`() async throws {
        let callback = try await Self.visit { port in
            try await Visitor.withConnection(to: port) { first, _ in
                try await Visitor.withConnection(to: port) { second, outbound in
                    try await outbound.write(ByteBuffer(string: "GET /call"))
                    _ = try await Visitor.send(Self.request("/callback?code=c&state=s1", port), to: port)
                    #expect(try await Visitor.everything(first).isEmpty)
                    // A connection with unread bytes is closed by a reset.
                    #expect((try? await Visitor.everything(second)) ?? "" == "")
                }
            }
        }
        #expect(callback == "http://HERE/callback?code=c&state=s1")
    }

    @Test func `Forty silent connections do not block the browser`() async throws {
        let callback = try await Self.visit { port in
            try await withThrowingTaskGroup { group in
                let connected = Watched(0)
                for _ in 1...40 {
                    group.addTask {
                        try await Visitor.withConnection(to: port) { inbound, _ in
                            connected.update { $0 += 1 }
                            _ = try? await Visitor.everything(inbound)
                        }
                    }
                }
                try await connected.wait("the connections") { $0 == 40 }
                _ = try await Visitor.send(Self.request("/callback?code=c&state=s1", port), to: port)
                try await group.waitForAll()
            }
        }
        #expect(callback == "http://HERE/callback?code=c&state=s1")
    }

    @Test func `Only one of many simultaneous callbacks is accepted`() async throws {
        let pages = Watched(0)
        _ = try await Self.visit { port in
            await withTaskGroup { group in
                for _ in 1...20 {
                    group.addTask {
                        let answer = try? await Visitor.send(Self.request("/callback?code=c&state=s1", port), to: port)
                        if answer?.contains("close this page") == true { pages.update { $0 += 1 } }
                    }
                }
            }
        }
        #expect(pages.value == 1)
    }

    @Test func `A callback received before the wait is answered when the wait begins`() async throws {
        let callback = try await withDeadline(.patience, "the callback") {
            try await LoopbackListener.withListener { listener in
                try await Visitor.withConnection(to: Self.port(listener)) { inbound, outbound in
                    let request = Self.request("/callback?code=c&state=s1", Self.port(listener))
                    try await outbound.write(ByteBuffer(string: request))
                    let callback = try await listener.callback(state: "s1")
                    #expect(try await Visitor.everything(inbound).contains("close this page"))
                    return callback.hasSuffix("/callback?code=c&state=s1")
                }
            }
        }
        #expect(callback)
    }

    @Test func `A requested port is used, refused while in use, and free afterwards`() async throws {
        let port = try unusedPort()
        try await LoopbackListener.withListener(port: port) { listener in
            #expect(Self.port(listener) == port)
            await #expect {
                try await LoopbackListener.withListener(port: port) { _ in }
            } throws: { error in
                guard case NetworkError.networkError(let failure) = error else { return false }
                return failure.reason.contains("127.0.0.1, port \(port)") && failure.advice != nil
            }
        }
        try await LoopbackListener.withListener(port: port, path: "/cb") { listener in
            #expect(listener.redirectURI == "http://127.0.0.1:\(port)/cb")
        }
        await expectRefusedConnection(to: port)
    }

    private func expectRefusedConnection(to port: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: NIOConnectionError.self, sourceLocation: sourceLocation) {
            try await Visitor.send("x", to: port)
        }
        let codes = error?.connectionErrors.map { ($0.error as? IOError)?.errnoCode }
        #expect(codes == [ECONNREFUSED], sourceLocation: sourceLocation)
    }

    @Test(arguments: ["", "callback", "/a?b", "/a#b", "/a b"])
    func `An invalid path is refused`(path: String) async throws {
        await #expect {
            try await LoopbackListener.withListener(path: path) { _ in }
        } throws: { error in
            if case NetworkError.invalidRequest = error { true } else { false }
        }
    }

    @Test func `A missing callback is a timeout with advice`() async throws {
        _ = try await LoopbackListener.withListener { listener in
            await #expect {
                try await listener.callback(state: "s1", within: .milliseconds(20))
            } throws: { error in
                guard case NetworkError.timeout(let failure) = error else { return false }
                return failure.advice?.contains("start the login again") == true
            }
        }
    }

    @Test func `Ignored callbacks are reported at once, a limited number of times, and the timeout counts them`()
        async throws
    {
        let told = Watched<[String]>([])
        _ = try await LoopbackListener.withListener { listener in
            let port = Self.port(listener)
            async let callback = listener.callback(state: "s1", within: .seconds(3)) { text in
                told.update { $0.append(text) }
            }
            let secret = "error_description=a%0Ab&code=canary"
            for query in ["error=server_error&\(secret)", "code=canary&state=s2", "x=y", "", "state=s2&state=s3"] {
                _ = try await Visitor.send(Self.request("/callback?\(query)", port), to: port)
            }
            #expect(told.value == ["server_error: a\\u{A}b", "it reports no error", "it reports no error"])
            for _ in 0..<LoopbackServer.maximumReports {
                _ = try await Visitor.send(Self.request("/callback?error=again", port), to: port)
            }
            #expect(told.value.count == LoopbackServer.maximumReports)
            do {
                _ = try await callback
                Issue.record("a callback")
            } catch NetworkError.timeout(let failure) {
                #expect(failure.reason.hasSuffix("within 3 s; 13 others were ignored: again"), "\(failure.reason)")
            }
        }
    }

    @Test func `Cancellation ends the wait and frees the port`() async throws {
        // A port that the system chooses could be given to another test as soon as it is free.
        let port = try unusedPort()
        let isListening = Signal()
        let task = Task {
            try await LoopbackListener.withListener(port: port) { listener in
                isListening.fire()
                return try await listener.callback(state: "s1")
            }
        }
        try await isListening.wait()
        task.cancel()
        await #expect {
            try await withDeadline(.patience, "the end") { try await task.value }
        } throws: { error in
            if case NetworkError.cancelled = error { true } else { false }
        }
        await expectRefusedConnection(to: port)
    }
}
#endif
