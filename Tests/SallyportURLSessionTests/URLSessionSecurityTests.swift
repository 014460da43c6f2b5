#if !canImport(Security)
import Foundation
import HTTPTypes
import SallyportTransport
import SallyportURLSession
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct URLSessionSecurityTests {
    @Test func `Without support for pins, only calls to hosts with pins are refused`()
        async throws
    {
        var configuration = TransportConfiguration()
        try configuration.security.pins.pin(
            "**.example.test",
            to: ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]
        )
        let transport = URLSessionTransport(configuration: configuration)
        defer { transport.close() }
        let refusal = try await failure(of: "https://api.example.test/", transport)
        guard case .invalidRequest(let failure)? = refusal else {
            Issue.record("not refused but \(String(describing: refusal))")
            return
        }
        #expect(failure.reason == "URLSession cannot check the pins of api.example.test on this platform")
        #expect(failure.advice == "use the engine")
        for other in ["http://localhost:1/", "https://localhost:1/"] {
            guard case .connectionFailed? = try await self.failure(of: other, transport) else {
                Issue.record("\(other) was not called")
                return
            }
        }
    }

    @Test func `A key log and client certificates for hosts are refused`() async throws {
        let file = URL(fileURLWithPath: "/nowhere/file")
        var logging = TransportConfiguration()
        logging.security.keyLogFile = file
        var showing = TransportConfiguration()
        showing.security.clientIdentities[try HostPattern("localhost")] = .init(certificateFile: file, keyFile: file)
        for configuration in [logging, showing] {
            let transport = URLSessionTransport(configuration: configuration)
            defer { transport.close() }
            guard case .invalidRequest(let failure)? = try await failure(of: "https://localhost:1/", transport) else {
                Issue.record("not refused")
                return
            }
            #expect(failure.reason.contains("/nowhere/file"))
        }
    }

    private func failure(of url: String, _ transport: URLSessionTransport) async throws -> NetworkError? {
        let url = try #require(URL(string: url))
        let head = HTTPRequest(
            method: .get,
            scheme: url.scheme,
            authority: (url.host ?? "") + (url.port.map { ":\($0)" } ?? ""),
            path: url.path
        )
        do {
            _ = try await transport.send(TransportRequest(head: head)) { $0.head.status }
            return nil
        } catch let error as NetworkError {
            return error
        }
    }
}
#endif
