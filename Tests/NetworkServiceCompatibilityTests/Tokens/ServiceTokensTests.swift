import NetworkServiceCompatibility
import Sallyport
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

/// A store that saves the first tokens only when the test allows it.
private struct GatedStore: TokenStore {
    let gate = Signal()
    let saves = Watched(0)
    private let store = MemoryTokenStore()

    func load() async -> TokenRecord? { await store.load() }
    func delete() async { await store.delete() }

    func save(_ record: TokenRecord) async throws {
        if saves.update({ saves in
            saves += 1
            return saves == 1
        }) {
            try await gate.wait()
        }
        await store.save(record)
    }

    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await store.withExclusiveAccess(body)
    }
}

extension SharedConfigurationSuites {
    /// Calls and changes of the base URL while tokens are being stored.
    @Suite(.concurrencyLimited) @MainActor struct ServiceTokensTests {
        private func save(_ accessToken: String) {
            let tokens = OAuthTokenModel()
            tokens.accessToken = accessToken
            OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
        }

        @Test func `Tokens that are saved before the base URL gets another path are found and sent`() async throws {
            try await EnvelopeServer.run { _ in
                let store = GatedStore()
                OAuthTokenService.store = store
                save("a")
                NetworkServiceConfiguration.baseUrl += "/"
                #expect(OAuthTokenService.findOAuthToken())
                store.gate.fire()
                let echo = await NetworkService<GetEcho>().outcome().response?.data
                #expect(echo?.headers["authorization"] == "Bearer a")
            }
        }

        @Test func `Tokens for two servers are stored in the order in which they are saved`() async throws {
            try await withBaseURL("https://a.example.com") {
                let store = GatedStore()
                OAuthTokenService.store = store
                save("a")
                NetworkServiceConfiguration.baseUrl = "https://b.example.com"
                #expect(!OAuthTokenService.findOAuthToken())
                save("b")
                #expect(OAuthTokenService.findOAuthToken())
                store.gate.fire()
                try await store.saves.wait("both tokens") { $0 == 2 }
                // The refresh waits for the store, and then finds no refresh token.
                let isRefreshed = await withCheckedContinuation { continuation in
                    OAuthTokenService().refreshToken { continuation.resume(returning: $0) }
                }
                #expect(!isRefreshed)
                let stored = await store.load()
                #expect(stored?.tokens.accessToken == "b")
            }
        }

        @Test func `A call keeps the token of its base URL when another one is set`() async throws {
            try await EnvelopeServer.run { _ in
                save("a")
                let sent = Watched<[String?]>([])
                NetworkService<GetEcho>().call(requestParams: nil) { response, _ in
                    sent.update { $0.append(response?.data?.headers["authorization"]) }
                }
                NetworkServiceConfiguration.baseUrl = "https://api.example.com"
                #expect(!OAuthTokenService.findOAuthToken())
                try await sent.wait("the callback") { !$0.isEmpty }
                #expect(sent.value == ["Bearer a"])
            }
        }

        @Test func `A call waits for the store until it is cancelled or its timeout is over`() async throws {
            try await EnvelopeServer.run { _ in
                let store = GatedStore()
                OAuthTokenService.store = store
                save("a")
                let kinds = Watched<[String?]>([])
                let service = NetworkService<GetEcho>()
                service.call(requestParams: nil) { _, error in kinds.update { $0.append(error?.networkError?.kind) } }
                service.cancelCurrentRequest()
                try await kinds.wait("the callback") { !$0.isEmpty }
                NetworkServiceConfiguration.timeoutValue = 0.2
                let error = await service.outcome().error
                #expect(kinds.value + [error?.networkError?.kind] == ["cancelled", "timeout"])
                store.gate.fire()
            }
        }
    }
}
