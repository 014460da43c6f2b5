import Foundation
import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import TransportConformance

/// What came of one call to a server with some certificate.
struct TLSCall: Sendable {
    /// `nil` if the call went well.
    let error: NetworkError?
    /// What the server received within TLS.
    let received: [UInt8]
    /// How many connections it accepted.
    let connections: Int

    /// Calls a server by a name that leads to this machine.
    static func make(
        to host: String = "localhost",
        showing identity: TestAuthority.Identity,
        version: ServerTLS.Version = .tls13,
        security: TransportSecurity
    ) async throws -> TLSCall {
        try await make(to: host, tls: ServerTLS(identity: identity, maximumVersion: version), security: security)
    }

    static func make(
        to host: String = "localhost",
        tls: ServerTLS,
        security: TransportSecurity
    ) async throws -> TLSCall {
        let script: Script = [.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")]
        return try await withScriptedServer([script], tls: tls) { server in
            let override = AddressOverride(host: host, port: server.port, addresses: ["127.0.0.1"])
            let engine = Engine(
                configuration: TransportConfiguration(security: security, addressOverrides: [override])
            )
            let head = HTTPRequest(method: .get, scheme: "https", authority: "\(host):\(server.port)", path: "/secret")
            var failure: NetworkError?
            do {
                _ = try await engine.send(TransportRequest(head: head, timeouts: .patient)) { $0.head.status }
            } catch let error as NetworkError {
                failure = error
            }
            await engine.shutdown(grace: .seconds(5))
            return TLSCall(
                error: failure,
                received: server.connections.flatMap(\.received),
                connections: server.acceptedConnections
            )
        }
    }
}

extension TransportSecurity {
    /// Trust in one authority, and pins for the host that tests call.
    static func trusting(
        _ pem: String,
        pinning pins: [CertificatePin] = [],
        for host: String = "localhost"
    ) throws -> TransportSecurity {
        var security = TransportSecurity(trustRoots: .pem(pem))
        if !pins.isEmpty { try security.pins.pin(HostPattern(host), to: pins) }
        return security
    }
}
