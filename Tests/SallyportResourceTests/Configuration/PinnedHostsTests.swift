import Foundation
import Sallyport
import SallyportGateway
import SallyportResource
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PinnedHostsTests {
    private static let request = ResourceRequest(path: "p", method: .get)

    @Test(arguments: ["id.example.com", "api.example.com", "files.example.com"])
    func `Each configured host needs enforced pins`(_ host: String) throws {
        let server = try ResourceServer()
        let error = expectError(\ResourceError.reason, .invalidConfiguration) {
            try server.client { model in
                let others = ["id.example.com", "api.example.com", "files.example.com"].filter { $0 != host }
                model.pins = Dictionary(uniqueKeysWithValues: others.map { ($0, [ResourceServer.pin]) })
            }
        }
        #expect(error?.description.contains("the host \(host) has no enforced pins") == true)
    }

    @Test func `Pins of the HTTP client's settings count, unless they are only reported`() throws {
        let server = try ResourceServer()
        _ = try server.client({ $0.pins = [:] }) { config in
            try? config.pins.pin("*.example.com", to: [ResourceServer.pin])
        }
        expectError(\ResourceError.reason, .invalidConfiguration) {
            try server.client({ $0.pins = [:] }) { config in
                try? config.pins.pin("*.example.com", to: [ResourceServer.pin], .reportOnly)
            }
        }
    }

    @Test func `Pins that have expired are a configuration error`() throws {
        let server = try ResourceServer()
        let error = expectError(\ResourceError.reason, .invalidConfiguration) {
            try server.client { $0.pinExpiry = Date(timeIntervalSince1970: 1_700_000_000) }
        }
        #expect(error?.description.contains("expired on 2023-11-14") == true)
        _ = try server.client { $0.pinExpiry = Date(timeIntervalSinceNow: 3600) }
    }

    @Test func `An app can allow hosts without pins, but not plain HTTP`() async throws {
        let server = try ResourceServer()
        let client = try server.client { model in
            model.pins = [:]
            model.allowsUnpinnedHosts = true
        }
        _ = try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
        expectError(\ResourceError.reason, .invalidConfiguration) {
            try server.client { model in
                model.allowsUnpinnedHosts = true
                model.resourceBaseURL = "http://api.example.com/"
            }
        }
    }

    @Test func `A transport without support for pins is refused`() throws {
        struct Unpinned: Transport {
            func send(
                _ request: TransportRequest,
                in scope: ExchangeScope
            ) async throws(NetworkError) -> TransportResponse { throw .networkError("unused") }
            func close() {}
            func shutdown(grace: Duration) async {}
        }
        expectError(\ResourceError.reason, .invalidConfiguration) {
            try ResourceClient(ResourceServer.model, stores: .memory()) { $0.transport = Unpinned() }
        }
    }

    @Test func `With a key that matches no pin, neither a resource call nor a registration is sent`() async throws {
        let server = try ResourceServer()
        let client = try server.client { $0.pins = ["*.example.com": [ResourceServer.otherPin]] }
        let error = await expectError(\ResourceError.reason, .certificateRefused) {
            try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
        }
        #expect(error?.domain == NSURLErrorDomain && error?.errorCode == NSURLErrorServerCertificateUntrusted)
        await expectError(\ResourceError.reason, .certificateRefused) {
            try await client.deviceClient.authenticateDevice(scopes: ["catalog"])
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `The certificates of a chain pin all hosts`() async throws {
        try await EchoGateway.withRunning { gateway in
            let client = try gateway.client("/echo").deviceClient
            _ = try await client.sendUnauthenticatedRequest(Self.request)
            let other = ResourceRequest(path: "https://localhost:\(gateway.address.port)/echo", method: .get)
            _ = try await client.sendUnauthenticatedRequest(other)
        }
    }

    @Test func `A gateway with another certificate receives nothing`() async throws {
        try await EchoGateway.withRunning { gateway in
            let other = try DevelopmentAuthority()
            let client = try gateway.client("/echo") { $0.certificates = [other.certificatePEM] }.deviceClient
            let error = await expectError(\ResourceError.reason, .certificateRefused) {
                try await client.sendUnauthenticatedRequest(Self.request)
            }
            #expect((error?.underlying as? NetworkError)?.kind == "pinMismatch")
            #expect(gateway.requests.isEmpty)
            _ = try await gateway.client("/echo").deviceClient.sendUnauthenticatedRequest(Self.request)
            #expect(gateway.requests.count == 1)
        }
    }

    @Test func `A server with another certificate receives no byte of a call or a registration`() async throws {
        let authority = try TestAuthority()
        let other = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity())
        try await withScriptedServer([[.stall]], tls: tls) { server in
            var model = ConfigModel(
                appIdentifier: "com.example.app",
                appVersion: "1",
                baseURL: "https://\(server.authority)",
                resourceBaseURL: "https://\(server.authority)/"
            )
            model.certificates = [other.certificatePEM]
            model.integrityChecks = []
            let client = try ResourceClient(model, stores: .memory()) { config in
                config.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
            }.deviceClient
            await expectError(\ResourceError.reason, .certificateRefused) {
                try await client.sendUnauthenticatedRequest(Self.request)
            }
            await expectError(\ResourceError.reason, .certificateRefused) {
                try await client.authenticateDevice(scopes: [])
            }
            for index in 0..<2 {
                let connection = try await server.connection(index)
                try await connection.waitUntilClosedByClient()
                #expect(connection.received.isEmpty)
            }
        }
    }

    @Test func `A redirect or an interceptor cannot lead a request to another server`() async throws {
        let server = try ResourceServer()
        server.transport.on(.get, "/resources/away", .redirect(to: "https://other.example/"))
        let following = try server.client(http: { $0.redirects = .follow(limit: 3) })
        let away = ResourceRequest(path: "away", method: .get)
        await expectError(\ResourceError.reason, .invalidRequest) {
            try await following.deviceClient.sendUnauthenticatedRequest(away)
        }
        let changing = try server.client(http: { config in
            config.onRequest { $0.url = "https://other.example/" }
        })
        await expectError(\ResourceError.reason, .invalidRequest) {
            try await changing.deviceClient.sendUnauthenticatedRequest(Self.request)
        }
        #expect(server.transport.requests.map(\.url) == ["https://api.example.com/resources/away"])
    }

    @Test func `Cookies are stored, and sent to the same kind of call, unless the app disables it`() async throws {
        for isStored in [true, false] {
            let server = try ResourceServer()
            server.transport.on(.get, "/resources/set", MockResponse.status(200).header(.setCookie, "a=b; Path=/"))
            let client = try server.client { $0.storeCookies = isStored }
            let set = ResourceRequest(path: "set", method: .get)
            _ = try await client.deviceClient.sendUnauthenticatedRequest(set)
            let echo = try Echo(await client.deviceClient.sendUnauthenticatedRequest(Self.request))
            #expect(echo.headers["cookie"] == (isStored ? "a=b" : nil))
        }
    }
}
