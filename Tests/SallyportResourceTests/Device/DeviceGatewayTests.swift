import Foundation
import Sallyport
import SallyportGateway
import SallyportJourney
import SallyportOAuth
import SallyportResource
import SessionSupport
import TestSupport
import Testing

/// Devices and users at a gateway.
@Suite(.concurrencyLimited) struct DeviceGatewayTests {
    /// Signs the user of a journey's session in.
    private struct JourneySignIn: DeviceSignIn {
        let journey: Journey

        func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens {
            guard let session = try await journey.session() else { throw CancellationError() }
            let credential = SessionCredential.header(name: journey.configuration.cookieName, value: session.token)
            return try await client.tokens(authorizedBy: credential, scopes: scopes)
        }
    }

    /// A gateway, the client that sends all requests to it, and the settings of an app.
    private struct Fixture: Sendable {
        let server: AuthorizationServer
        let base: String
        let http: HttpClient
        let configuration: DeviceIdentityConfiguration

        func identity(_ stores: DeviceStores = .memory()) -> DeviceIdentity {
            DeviceIdentity(configuration, httpClient: http, stores: stores)
        }

        /// Returns the status of a call with the token of a session.
        func status(_ path: String, _ session: OAuthSession) async throws -> HttpStatus {
            let api = http.authorized(by: session, for: base)
            return try await api.request { $0.url = base + path }.status
        }
    }

    private func withGateway(_ body: (Fixture) async throws -> Void) async throws {
        var settings = try AuthorizationServerConfiguration.development()
        settings.signatureAlgorithms = [.es256]
        let server = try AuthorizationServer(settings)
        let statement = try await GatewayApplication.developmentStatement(version: "1.0", platform: "linux")
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { address in
            let http = HttpClient.createClient { $0.cookieJar = nil }
            defer { http.close() }
            var configuration = DeviceIdentityConfiguration(
                issuer: address.baseURL,
                appIdentifier: "com.example.app",
                appPlatform: "linux",
                appVersion: "1.0"
            )
            configuration.softwareStatement = statement
            configuration.redirectURI = FormAgent.redirectURI
            try await body(Fixture(server: server, base: address.baseURL, http: http, configuration: configuration))
        }
    }

    @Test func `A device registers once, and its token is accepted for resources of devices`() async throws {
        try await withGateway { gateway in
            let identity = gateway.identity()
            try await identity.authenticateDevice(scopes: ["assets"])
            try await identity.authenticateDevice(scopes: ["assets"])
            #expect(try await gateway.status("/resources/assets", identity.deviceSession) == .ok)
            #expect(try await gateway.status("/resources/accounts", identity.deviceSession) == .forbidden)
            let devices = await gateway.server.devices
            #expect(devices.map(\.appVersion) == ["1.0"])
            #expect(try await devices.map(\.clientID) == [identity.registration()?.clientID])
        }
    }

    @Test func `A user signs in with a browser, and is authenticated implicitly by the next process`() async throws {
        try await withGateway { gateway in
            try await withTemporaryDirectory { folder in
                let stores = DeviceStores.files(in: folder, key: .generate())
                let first = gateway.identity(stores)
                let user = try await first.registerUser(with: BrowserSignIn(FormAgent()), scopes: ["accounts"])
                #expect(try await gateway.status("/resources/accounts", first.userSession) == .ok)
                #expect(await gateway.server.devices.map(\.users) == [[user]])

                let second = gateway.identity(stores)
                #expect(try await second.registeredUsers() == [user])
                try await second.implicitlyAuthenticate(user: user, scopes: ["greeting"])
                let session = second.implicitSession(of: user)
                #expect(try await gateway.status("/resources/greeting", session) == .ok)
                #expect(try await gateway.status("/resources/accounts", session) == .forbidden)
                await expectError(\DeviceIdentityError.kind, "refused") {
                    try await second.implicitlyAuthenticate(user: user, scopes: ["accounts"])
                }
            }
        }
    }

    @Test func `A user who has signed in with a tree registers on the device without a browser`() async throws {
        try await withGateway { gateway in
            try await withTemporaryDirectory { folder in
                let port = try #require(URL(string: gateway.base)?.port)
                let journey = try TreeSignIn.journey(storedIn: folder.appendingPathComponent("session"), port: port)
                defer { journey.httpClient.close() }
                let identity = gateway.identity()
                await expectError(\DeviceIdentityError.kind, "network") {
                    try await identity.registerUser(with: JourneySignIn(journey: journey), scopes: ["accounts"])
                }
                try await TreeSignIn.signIn(with: journey)
                let user = try await identity.registerUser(with: JourneySignIn(journey: journey), scopes: ["accounts"])
                #expect(await gateway.server.devices.map(\.users) == [[user]])
                #expect(try await gateway.status("/resources/accounts", identity.userSession) == .ok)
            }
        }
    }

    @Test func `A call after the operator has deregistered the device registers it again`() async throws {
        try await withGateway { gateway in
            let identity = gateway.identity()
            try await identity.authenticateDevice(scopes: ["assets"])
            let first = try #require(try await identity.registration()?.clientID)
            #expect(await gateway.server.deregisterDevice(first))
            #expect(try await gateway.status("/resources/assets", identity.deviceSession) == .ok)
            let second = try #require(try await identity.registration()?.clientID)
            #expect(second != first)
            #expect(await gateway.server.devices.map(\.clientID) == [second])
        }
    }

    @Test func `A user whom the operator has deregistered is not authenticated implicitly any more`() async throws {
        try await withGateway { gateway in
            let identity = gateway.identity()
            let user = try await identity.registerUser(with: BrowserSignIn(FormAgent()), scopes: [])
            try await identity.implicitlyAuthenticate(user: user, scopes: ["greeting"])
            #expect(await gateway.server.deregisterUser(user) == 1)
            await expectError(\DeviceIdentityError.kind, "userNotRegistered") {
                try await identity.implicitlyAuthenticate(user: user, scopes: ["greeting"])
            }
            #expect(try await identity.registeredUsers().isEmpty)
        }
    }

    @Test func `A user and a device deregister themselves`() async throws {
        try await withGateway { gateway in
            let identity = gateway.identity()
            let user = try await identity.registerUser(with: BrowserSignIn(FormAgent()), scopes: [])
            try await identity.deregisterUser(user)
            #expect(await gateway.server.devices.map(\.users) == [[]])
            try await identity.reset()
            #expect(await gateway.server.devices.isEmpty)
            #expect(try await identity.registration() == nil)
        }
    }

    @Test func `A device without a valid statement is not valid`() async throws {
        let statements: [(String?, String)] = [
            ("e30.e30.AAAA", "The software statement is not a JWT"), (nil, "need a software_statement"),
        ]
        try await withGateway { gateway in
            for (statement, reason) in statements {
                var configuration = gateway.configuration
                configuration.softwareStatement = statement
                let identity = DeviceIdentity(configuration, httpClient: gateway.http, stores: .memory())
                let error = await expectError(\DeviceIdentityError.kind, "notValid") {
                    try await identity.authenticateDevice(scopes: ["assets"])
                }
                let text = try #require(error?.failure.description)
                #expect(text.contains("invalid_software_statement") && text.contains(reason), "\(text)")
                #expect(text.contains("check softwareStatement"), "\(text)")
            }
            #expect(await gateway.server.devices.isEmpty)
        }
    }

    @Test func `20 identities that share files register the device once`() async throws {
        try await withGateway { gateway in
            try await withTemporaryDirectory { folder in
                let identities = (0..<20).map { _ in gateway.identity(.files(in: folder)) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for identity in identities {
                        group.addTask { try await identity.authenticateDevice(scopes: ["assets"]) }
                    }
                    try await group.waitForAll()
                }
                #expect(await gateway.server.devices.count == 1)
            }
        }
    }
}
