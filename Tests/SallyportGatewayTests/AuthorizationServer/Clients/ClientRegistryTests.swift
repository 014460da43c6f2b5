import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct ClientRegistryTests {
    @Test func `The devices of an app can use up only the registrations of this app`() throws {
        let context = ServerContext(try .development(), clock: { Date(timeIntervalSince1970: 1_800_000_000) })
        let clients = ClientRegistry(context, share: 2)
        func register(_ identifier: String) throws {
            var application = try GatewayApplication.development()
            application.identifier = identifier
            let installation = AppInstallation(application: application, version: "1", platform: "ios")
            let key = try #require(try SigningKey.generate(.es256).publicJsonWebKey)
            let metadata = ClientMetadata(
                authenticationMethod: .privateKeyJwt,
                grantTypes: ["client_credentials"],
                keys: JsonWebKeySet([key])
            )
            _ = try clients.register(
                try JSONEncoder().encode(metadata),
                statement: SoftwareStatement(installation: installation, clientName: nil, redirectURIs: nil),
                proofKey: try key.thumbprint()
            )
        }
        for _ in 0..<2 { try register("a") }
        let error = #expect(throws: OAuthRefusal.self) { try register("a") }
        #expect(error?.code == .temporarilyUnavailable)
        try register("b")
        #expect(clients.devices.count == 3)
    }
}
