/// An HTTP/2 server that plays scripts frame by frame, and records the frames that it receives.
///
/// It has its own implementation of frames and HPACK, so that it can violate the protocol.
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

    /// The host and port, in the form of a URL.
    public var authority: String { "127.0.0.1:\(port)" }

    /// The connections accepted so far, in order.
    public var connections: [ScriptedHTTP2Connection] { accepted.value }

    /// The number of connections accepted so far.
    public var acceptedConnections: Int { accepted.read { $0.count } }

    /// Waits for a connection to be accepted.
    ///
    /// - Parameter index: The index of the connection, starting at 0.
    public func connection(
        _ index: Int,
        within limit: Duration = .patience
    ) async throws -> ScriptedHTTP2Connection {
        try await accepted.wait("connection \(index) to be accepted", within: limit) { $0.count > index }
        return accepted.read { $0[index] }
    }

    /// Adds an accepted connection, and returns its index.
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
///   - scripts: The scripts of the connections, in order. The last one applies to all further connections.
///   - tls: The TLS settings, with h2 offered by ALPN by default, or `nil` for cleartext.
///   - body: Makes calls to the server. When it ends, every connection is closed.
/// - Returns: The result of `body`.
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
