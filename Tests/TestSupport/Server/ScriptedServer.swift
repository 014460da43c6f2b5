/// A TCP server that plays scripts byte for byte, and records the bytes that it receives.
///
/// ```swift
/// try await withScriptedServer([[.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")]]) { server in
///     …
///     let connection = try await server.connection(0)
///     #expect(connection.receivedText.hasPrefix("GET / "))
/// }
/// ```
public final class ScriptedServer: ScriptPlayingServer {
    private let accepted = Watched<[ScriptedConnection]>([])
    private let open = Watched(0)

    /// The port on 127.0.0.1 that the server listens on.
    public let port: Int

    init(port: Int) {
        self.port = port
    }

    /// The host and port, in the form of a URL.
    public var authority: String { "127.0.0.1:\(port)" }

    /// The connections accepted so far, in order.
    public var connections: [ScriptedConnection] { accepted.value }

    /// The number of connections accepted so far.
    public var acceptedConnections: Int { accepted.read { $0.count } }

    /// The number of connections that neither side has closed.
    public var openConnections: Int { open.value }

    /// The heads and bodies of all requests received so far, in the order of connections.
    public var requests: [ReceivedRequest] { connections.flatMap(\.requests) }

    /// Waits for a connection to be accepted.
    ///
    /// - Parameter index: The index of the connection, starting at 0.
    public func connection(_ index: Int, within limit: Duration = .patience) async throws -> ScriptedConnection {
        try await accepted.wait("connection \(index) to be accepted", within: limit) { $0.count > index }
        return accepted.read { $0[index] }
    }

    /// Waits until a number of connections are open.
    public func waitForOpenConnections(_ count: Int, within limit: Duration = .patience) async throws {
        try await open.wait("\(count) open connections", within: limit) { $0 == count }
    }

    /// Adds an accepted connection, and returns its index.
    func accept(_ connection: ScriptedConnection) -> Int {
        open.update { $0 += 1 }
        connection.onEnd { [open] in open.update { $0 -= 1 } }
        return accepted.update { connections in
            connections.append(connection)
            return connections.count - 1
        }
    }
}

/// Runs a scripted server on 127.0.0.1, on a port that the system chooses, while a closure runs.
///
/// - Parameters:
///   - scripts: The scripts of the connections, in order. The last one applies to all further connections.
///   - tls: The TLS settings, or `nil` for plain text.
///   - socket: The path of a Unix domain socket to use instead of a port.
///   - body: Makes calls to the server. When it ends, every connection is closed.
/// - Returns: The result of `body`.
public func withScriptedServer<Result: Sendable>(
    _ scripts: [Script],
    tls: ServerTLS? = nil,
    socket: String? = nil,
    _ body: @escaping @Sendable (ScriptedServer) async throws -> Result
) async throws -> Result {
    try await ScriptedServer.run(scripts, tls: tls, socket: socket, body)
}
