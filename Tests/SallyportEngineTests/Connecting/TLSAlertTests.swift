import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct TLSAlertTests {
    /// An error with the description of one of BoringSSL.
    private struct LibraryError: Error, CustomStringConvertible {
        let reason: String

        var description: String {
            let code = "error:1000045c:SSL routines:OPENSSL_internal:\(reason)"
            return "sslError([Error: 268436572 \(code) at /build/CNIOBoringSSL/ssl/tls_record.cc:491])"
        }
    }

    private func failure(_ reason: String, isFirst: Bool = true) throws -> NetworkError {
        let head = HTTPRequest(method: .get, scheme: "https", authority: "a", path: "/")
        let exchange = Exchange(try OutgoingRequest(TransportRequest(head: head), acceptEncoding: nil))
        return RunningExchange(exchange, isFirst: isFirst).broken(by: LibraryError(reason: reason))
    }

    @Test(
        arguments: [
            ("TLSV1_ALERT_CERTIFICATE_REQUIRED", "the server requires a client certificate"),
            ("TLSV1_ALERT_UNKNOWN_CA", "the server refused the client's certificate with the TLS alert \"unknown ca\""),
            (
                "SSLV3_ALERT_BAD_CERTIFICATE",
                "the server refused the client's certificate with the TLS alert \"bad certificate\""
            ),
        ]
    )
    func `A client certificate that is missing or refused after the handshake is an error of TLS`(
        reason: String,
        text: String
    ) throws {
        let error = try failure(reason)
        #expect(error.kind == "tlsFailed")
        #expect(error.failure.phase == .tls)
        #expect(error.failure.reason == text)
        #expect(error.failure.advice == SettingAdvice.clientIdentity.rawValue)
        let later = try failure(reason, isFirst: false)
        #expect(later.kind == "connectionLost")
        #expect(later.failure.reason == "the connection broke: \(text)")
        #expect(later.failure.advice == SettingAdvice.clientIdentity.rawValue)
    }

    @Test(
        arguments: [
            ("TLSV1_ALERT_INTERNAL_ERROR", "the server sent the TLS alert \"internal error\""),
            ("BAD_DECRYPT", "bad decrypt"),
        ]
    )
    func `The error for a broken TLS connection does not contain locations in a library`(reason: String, text: String)
        throws
    {
        let error = try failure(reason)
        #expect(error.kind == "connectionLost")
        #expect(error.failure.reason == "the connection broke: \(text)")
        #expect(error.failure.advice == nil)
    }

    @Test func `The error for a missing client certificate in the handshake of TLS 1.2 suggests one`() async throws {
        let root = try TestAuthority()
        let tls = ServerTLS(identity: try root.serverIdentity(), clientAuthority: root, maximumVersion: .tls12)
        let error = try await TLSCall.make(tls: tls, security: .trusting(root.certificatePEM)).error
        let reason = "the TLS handshake with localhost failed: the server sent the TLS alert \"handshake failure\""
        #expect(error?.kind == "tlsFailed")
        #expect(error?.failure.reason == reason)
        #expect(error?.failure.advice == SettingAdvice.missingClientIdentity.rawValue)
    }
}
