import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RedirectPinsTests {
    @Test func `A redirect to a host whose pins do not match fails before anything is sent to it`() async throws {
        let root = try TestAuthority()
        let tls = ServerTLS(identity: try root.serverIdentity(hosts: ["first.test", "second.test"]))
        let (right, wrong) = (
            try CertificatePin(certificatePEM: root.certificatePEM),
            try CertificatePin(certificatePEM: TestAuthority().certificatePEM)
        )
        try await withScriptedServer([[.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")]], tls: tls) { second in
            let location = "https://second.test:\(second.port)/"
            let answer = "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
            try await withScriptedServer([[.receiveHead, .send(answer)]], tls: tls) { first in
                for (pin, fails) in [(wrong, true), (right, false)] {
                    let client = try HttpClient.createClient { config in
                        config.redirects = .follow(limit: 3)
                        config.transportConfiguration.security.trustRoots = .pem(root.certificatePEM)
                        config.transportConfiguration.addressOverrides = [
                            AddressOverride(host: "first.test", port: first.port, addresses: ["127.0.0.1"]),
                            AddressOverride(host: "second.test", port: second.port, addresses: ["127.0.0.1"]),
                        ]
                        var pins = CertificatePins()
                        try pins.pin(HostPattern("first.test"), to: [right])
                        try pins.pin(HostPattern("second.test"), to: [pin])
                        config.transportConfiguration.security.pins = pins
                    }
                    defer { client.close() }
                    do throws(NetworkError) {
                        let response = try await client.request { request in
                            request.url = "https://first.test:\(first.port)/"
                        }
                        #expect(response.status == .noContent)
                        #expect(!fails)
                    } catch {
                        guard fails, case .pinMismatch(let failure) = error else {
                            Issue.record("\(error)")
                            return
                        }
                        #expect(failure.reason.hasPrefix("the certificates of second.test match none of its pins"))
                        #expect(second.requests.isEmpty)
                    }
                }
                #expect(first.requests.count == 2)
                #expect(second.requests.count == 1)
            }
        }
    }
}
