import Foundation
import Sallyport
import SallyportGateway
import TestSupport
import Testing

@testable import SallyportOAuth

/// Sessions of one issuer whose store contains tokens of another.
@Suite(.concurrencyLimited) struct IssuerMixUpTests {
    /// A gateway and one of its clients.
    private struct Issuer: Sendable {
        let url: String
        let identity: AuthorizationServer
        let http: HttpClient
        let client: OAuthClient

        /// Runs a closure with a new issuer.
        static func with(_ body: @Sendable (Issuer) async throws -> Void) async throws {
            var configuration = try AuthorizationServerConfiguration.development()
            configuration.signatureAlgorithms = [.es256]
            let identity = try AuthorizationServer(configuration)
            try await Gateway.withRunning(GatewayConfiguration(authorizationServer: identity)) { address in
                let http = HttpClient.createClient()
                defer { http.close() }
                let client = OAuthClient(issuer: address.baseURL, clientID: "pub") { config in
                    config.scopes = ["openid", "api"]
                    config.httpClient = http
                    config.clock = .immediate()
                }
                try await body(Issuer(url: address.baseURL, identity: identity, http: http, client: client))
            }
        }

        func session(_ file: URL) -> OAuthSession { OAuthSession(refresher: client, store: FileTokenStore(at: file)) }

        /// Signs alice in with a device code.
        func tokens() async throws -> OAuthTokens {
            let device = try await client.deviceAuthorization()
            #expect(await identity.approveDevice(userCode: device.userCode, as: "alice"))
            return try await client.tokens(for: device)
        }

        func call(_ api: HttpClient) async throws -> HttpStatus {
            try await api.request { $0.url = url + "/protected" }.status
        }
    }

    private func isOfOtherClient(_ error: any Error, _ owner: Issuer, _ expected: Issuer) -> Bool {
        let failure = error as? OAuthSessionError ?? (error as? NetworkError)?.failure.underlying as? OAuthSessionError
        guard case .otherClient(let issuedTo, let own) = failure else { return false }
        return issuedTo == owner.client.identity && own == expected.client.identity
    }

    /// - Parameter isDue: A Boolean value that indicates whether the tokens of the other issuer have to be refreshed before use.
    @Test(arguments: [false, true])
    func `A running session does not send tokens that another issuer's login has saved in its store`(
        isDue: Bool
    ) async throws {
        try await Issuer.with { a in
            try await Issuer.with { b in
                try await withTemporaryDirectory { folder in
                    let file = folder.appendingPathComponent("tokens/tokens.json")
                    let running = a.session(file)
                    try await running.save(try await a.tokens())
                    let api = a.http.authorized(by: running, for: a.url)
                    #expect(try await a.call(api) == .ok)
                    // Another process logs in to the other issuer.
                    var tokens = try await b.tokens()
                    if isDue { tokens.expiresAt = Date(timeIntervalSince1970: 0) }
                    try await b.session(file).save(tokens)
                    await a.identity.expireAccessTokens()
                    let before = await a.identity.statistics
                    for call in 0..<2 {
                        await #expect {
                            try await a.call(api)
                        } throws: { error in
                            isOfOtherClient(error, b, a) && "\(error)".contains("pub at \(b.url)")
                                && "\(error)".contains("nothing was sent") && "\(error)".contains("log in again")
                        }
                        // Issuer A receives only its own expired token, once.
                        var expected = before
                        expected.refusals["invalid_token", default: 0] += 1
                        #expect(await a.identity.statistics == expected, "call \(call)")
                    }
                    for tokens in [running.tokens, running.refresh] {
                        await #expect { try await tokens() } throws: { isOfOtherClient($0, b, a) }
                    }
                    await #expect { try await running.current() } throws: { isOfOtherClient($0, b, a) }
                    #expect(await a.identity.statistics.refreshes == 0)
                    // The other login still works.
                    let other = b.http.authorized(by: b.session(file), for: b.url)
                    #expect(try await b.call(other) == .ok)
                    #expect(await b.identity.statistics.refreshes == (isDue ? 1 : 0))
                }
            }
        }
    }

    @Test func `A token file copied from another issuer is refused, encrypted or not, until a login replaces it`()
        async throws
    {
        try await Issuer.with { a in
            try await Issuer.with { b in
                try await withTemporaryDirectory { folder in
                    for key in [nil, TokenStoreKey.generate()] {
                        let files = ["a", "b"].map { folder.appendingPathComponent("\($0)-\(key == nil)/tokens") }
                        let stores = files.map { FileTokenStore(at: $0, key: key) }
                        let session = OAuthSession(refresher: a.client, store: stores[0])
                        try await session.save(try await a.tokens())
                        let other = OAuthSession(refresher: b.client, store: stores[1])
                        try await other.save(try await b.tokens())
                        try FileManager.default.removeItem(at: files[0])
                        try FileManager.default.copyItem(at: files[1], to: files[0])
                        let copied = OAuthSession(refresher: a.client, store: stores[0])
                        await #expect { try await copied.tokens() } throws: { isOfOtherClient($0, b, a) }
                        try await copied.save(try await a.tokens())
                        _ = try await copied.refresh()
                    }
                }
            }
        }
    }

    @Test func `Tokens of another client of the same issuer are refused`() async throws {
        let owner = OAuthClientIdentity(issuer: "https://id.example.com", clientID: "other")
        let store = MemoryTokenStore(TokenRecord(tokens: .ended, client: owner))
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let session = OAuthSession(refresher: refresher, store: store)
        await #expect {
            try await session.tokens()
        } throws: { error in
            guard case OAuthSessionError.otherClient(let issuedTo, let expected) = error else { return false }
            return issuedTo == owner && expected == refresher.identity
        }
        #expect(refresher.count.value == 0)
        #expect(await store.load()?.client == owner)
    }

    @Test func `A session ended by the server does not delete tokens that another client has saved meanwhile`()
        async throws
    {
        let owner = OAuthClientIdentity(issuer: "https://other.example.com", clientID: "pub")
        let store = MemoryTokenStore(.ended)
        let refresher = ScriptedRefresher { _, _ in
            // Saves without exclusive access, as a store without locks does.
            await store.save(TokenRecord(tokens: .number(7), client: owner))
            throw OAuthError.refusal("invalid_grant")
        }
        let session = OAuthSession(refresher: refresher, store: store)
        await #expect {
            try await session.tokens()
        } throws: { error in
            guard case OAuthSessionError.otherClient(let issuedTo, _) = error else { return false }
            return issuedTo == owner
        }
        #expect(await store.load()?.tokens.accessToken == "canary-access-7")
    }
}
