import Foundation
import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import TransportConformance

/// The outcome of a call to a server with a given certificate.
struct TLSCall: Sendable {
    /// The error, or `nil` if the call succeeded.
    let error: NetworkError?
    /// The bytes that the server received within TLS.
    let received: [UInt8]
    /// The number of connections that the server accepted.
    let connections: Int

    /// Calls a server by a name that resolves to this machine.
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
    /// Returns settings that trust one authority and have pins for the host that tests call.
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
