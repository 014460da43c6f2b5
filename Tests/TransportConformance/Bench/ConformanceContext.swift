import SallyportTransport
import TestSupport

/// What a case works with: a way to make the transport under test.
struct ConformanceContext: Sendable {
    let makeTransport: @Sendable (TransportConfiguration) -> any Transport

    /// Runs a closure with a scripted server and a transport to call it with, and closes both.
    func serve(
        _ scripts: Script...,
        tls: ServerTLS? = nil,
        configuration: TransportConfiguration = TransportConfiguration(),
        _ body: @escaping @Sendable (Bench) async throws -> Void
    ) async throws {
        try await withScriptedServer(scripts, tls: tls) { server in
            let transport = makeTransport(configuration)
            defer { transport.close() }
            try await body(Bench(server: server, transport: transport, scheme: tls == nil ? "http" : "https"))
        }
    }
}
