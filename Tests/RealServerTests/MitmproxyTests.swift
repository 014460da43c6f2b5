import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.mitmproxy != nil, "run .ci/real-servers to have mitmproxy started"),
    .serialized
)
struct MitmproxyTests {
    private let files = URL(fileURLWithPath: RealServer.mitmproxyFiles ?? "")

    private func text(_ name: String) throws -> String {
        try String(contentsOf: files.appendingPathComponent(name), encoding: .utf8)
    }

    private func client(pinning certificate: String?) throws -> HttpClient {
        try HttpClient.createClient { config in
            let authority = files.appendingPathComponent("mitmproxy-ca-cert.pem")
            config.transportConfiguration.security.trustRoots = .file(authority)
            // On a busy machine, mitmproxy needs over ten seconds for its first handshake.
            config.timeouts.tls = .seconds(60)
            config.timeouts.total = .seconds(120)
            guard let certificate else { return }
            let pin = try CertificatePin(certificatePEM: text(certificate))
            try config.transportConfiguration.security.pins.pin(HostPattern("localhost"), to: [pin])
        }
    }

    private func get(_ path: String, with client: HttpClient) async throws(NetworkError) -> HttpResponse {
        try await client.request { request in request.url = (RealServer.mitmproxy ?? "") + path }
    }

    /// The logs of the origin and the proxy, which write a line for each request before they respond.
    private func logs() throws -> String { try text("origin.log") + text("proxy.log") }

    @Test func `Without pins, the interceptor reads the request without being detected`() async throws {
        let response = try await get("/intercepted", with: client(pinning: nil))
        #expect(response.bodyAsString() == "from the origin")
        // Both the proxy and the origin have logged the request.
        #expect(try logs().components(separatedBy: "/intercepted").count > 2)
    }

    @Test func `With the origin's pin, the call fails in the handshake, and no request is received`()
        async throws
    {
        let expected = try CertificatePin(certificatePEM: text("origin.pem"))
        let authority = try CertificatePin(certificatePEM: text("mitmproxy-ca-cert.pem"))
        do {
            _ = try await get("/pinned", with: client(pinning: "origin.pem"))
            Issue.record("the interceptor was accepted")
        } catch NetworkError.pinMismatch(let failure) {
            #expect(failure.reason.contains("expected \(expected); received sha256/"))
            #expect(failure.reason.contains("\(authority) (mitmproxy)"))
        }
        // When a later call has been logged, this one would have been logged too.
        _ = try await get("/afterwards", with: client(pinning: nil))
        let logs = try logs()
        #expect(logs.contains("/afterwards"))
        #expect(!logs.contains("/pinned"))
    }

    @Test func `With the pin of the interceptor's authority, the call succeeds`() async throws {
        let response = try await get("/accepted", with: client(pinning: "mitmproxy-ca-cert.pem"))
        #expect(response.bodyAsString() == "from the origin")
    }
}
