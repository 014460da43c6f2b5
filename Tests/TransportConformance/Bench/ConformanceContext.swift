import SallyportTransport
import TestSupport

/// What a case works with: a way to make the transport under test, and what its server speaks.
struct ConformanceContext: Sendable {
    let wire: ConformanceWire
    let makeTransport: @Sendable (TransportConfiguration) -> any Transport

    /// Runs a closure with a scripted server and a transport to call it with, and closes both.
    ///
    /// For HTTP/2 a front stands before the scripted server, which plays its script for each stream.
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
                try await run(configuration, Bench.Place(server: server, scheme: scheme, port: server.port), body)
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
                try await run(configuration, Bench.Place(server: server, scheme: scheme, port: port), body)
            }
        }
    }

    private func run(
        _ configuration: TransportConfiguration,
        _ place: Bench.Place,
        _ body: @Sendable (Bench) async throws -> Void
    ) async throws {
        let transport = makeTransport(configuration)
        defer { transport.close() }
        try await body(Bench(place: place, transport: transport, wire: wire))
    }

    /// One authority for all cases that do not care.
    private static let authority = Result { try TestAuthority() }
    private static let identity = Result { try authority.get().serverIdentity() }
}
