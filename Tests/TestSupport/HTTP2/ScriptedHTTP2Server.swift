/// An HTTP/2 server that does what its scripts say, frame by frame, and records what it receives.
///
/// It has frames and HPACK of its own, so that it can send what no server may.
///
/// ```swift
/// try await withScriptedHTTP2Server([.greeting() + .answer()]) { server in
///     …
///     #expect(try await server.connection(0).stream(1).path == "/")
/// }
/// ```
public final class ScriptedHTTP2Server: ScriptPlayingServer {
    private let accepted = Watched<[ScriptedHTTP2Connection]>([])

    /// The port on 127.0.0.1 that the server listens on.
    public let port: Int

    init(port: Int) {
        self.port = port
    }

    /// The host and port, as they stand in a URL.
    public var authority: String { "127.0.0.1:\(port)" }

    /// The connections accepted so far, in order.
    public var connections: [ScriptedHTTP2Connection] { accepted.value }

    /// The number of connections accepted so far.
    public var acceptedConnections: Int { accepted.read { $0.count } }

    /// Waits for a connection to be accepted.
    ///
    /// - Parameter index: Its number, the first being 0.
    public func connection(
        _ index: Int,
        within limit: Duration = .patience
    ) async throws -> ScriptedHTTP2Connection {
        try await accepted.wait("connection \(index) to be accepted", within: limit) { $0.count > index }
        return accepted.read { $0[index] }
    }

    /// Takes in a connection, and gives its number.
    func accept(_ connection: ScriptedHTTP2Connection) -> Int {
        accepted.update { connections in
            connections.append(connection)
            return connections.count - 1
        }
    }
}

/// Runs a scripted HTTP/2 server on 127.0.0.1, on a port that the system chooses, while a closure runs.
///
/// - Parameters:
///   - scripts: The first for the first connection and so on; connections beyond the last get the last.
///   - tls: How to speak TLS, h2 being offered by ALPN unless it says otherwise; `nil` for cleartext.
///   - body: Makes calls to the server. When it ends, every connection is closed.
/// - Returns: What `body` returns.
public func withScriptedHTTP2Server<Result: Sendable>(
    _ scripts: [HTTP2Script],
    tls: ServerTLS? = nil,
    _ body: @escaping @Sendable (ScriptedHTTP2Server) async throws -> Result
) async throws -> Result {
    let tls = tls.map { tls in
        var tls = tls
        if tls.applicationProtocols.isEmpty { tls.applicationProtocols = ["h2"] }
        return tls
    }
    return try await ScriptedHTTP2Server.run(scripts, tls: tls, body)
}
