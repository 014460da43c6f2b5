import SallyportTransport
import TestSupport

/// The environment of a case: a function that creates the transport under test, and the protocol of its server.
struct ConformanceContext: Sendable {
    let wire: ConformanceWire
    let makeTransport: @Sendable (TransportConfiguration) -> any Transport

    /// Runs a closure with a scripted server and a transport, and closes both.
    ///
    /// For HTTP/2, a front forwards each stream to the scripted server.
    func serve(
        _ scripts: Script...,
        tls: ServerTLS? = nil,
        configuration: TransportConfiguration = TransportConfiguration(),
        _ body: @escaping @Sendable (Bench) async throws -> Void
    ) async throws {
        switch wire {
        case .http1:
            try await withScriptedServer(scripts, tls: tls) { server in
                let scheme = tls == nil ? "http" : "https"
                try await run(configuration, Bench.Address(server: server, scheme: scheme, port: server.port), body)
            }
        case .http2:
            var configuration = configuration
            configuration.httpVersions = .http2
            var frontTLS = tls
            if tls == nil {
                let authority = try Self.authority.get()
                frontTLS = try ServerTLS(identity: Self.identity.get())
                configuration.security.trustRoots = .pem(authority.certificatePEM)
            }
            try await serve(scripts, behind: frontTLS, configuration, body)
        case .http2Cleartext:
            var configuration = configuration
            configuration.httpVersions = .http2
            try await serve(scripts, behind: nil, configuration, body)
        }
    }

    private func serve(
        _ scripts: [Script],
        behind tls: ServerTLS?,
        _ configuration: TransportConfiguration,
        _ body: @escaping @Sendable (Bench) async throws -> Void
    ) async throws {
        try await withScriptedServer(scripts) { server in
            try await withHTTP2Front(to: server.port, tls: tls) { port in
                let scheme = tls == nil ? "http" : "https"
                try await run(configuration, Bench.Address(server: server, scheme: scheme, port: port), body)
            }
        }
    }

    private func run(
        _ configuration: TransportConfiguration,
        _ address: Bench.Address,
        _ body: @Sendable (Bench) async throws -> Void
    ) async throws {
        let transport = makeTransport(configuration)
        defer { transport.close() }
        try await body(Bench(address: address, transport: transport, wire: wire))
    }

    /// The certificate authority that cases share unless they need their own.
    private static let authority = Result { try TestAuthority() }
    private static let identity = Result { try authority.get().serverIdentity() }
}
