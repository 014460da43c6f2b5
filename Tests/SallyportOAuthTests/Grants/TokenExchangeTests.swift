import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct TokenExchangeTests {
    @Test func `A token exchange sends the subject and actor tokens and returns the issued token`() async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.tokens(["issued_token_type": "urn:ietf:params:oauth:token-type:access_token"]))
        let exchange = TokenExchange(
            subjectToken: "canary-subject",
            actorToken: "canary-actor",
            audience: "billing",
            scopes: ["read"]
        )
        let exchanged = try await identity.client().exchange(exchange)
        #expect(exchanged.tokens.accessToken == "access-1")
        #expect(exchanged.issuedTokenType == .accessToken)
        #expect(
            identity.forms("/token").first == [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": "canary-subject",
                "subject_token_type": "urn:ietf:params:oauth:token-type:access_token", "actor_token": "canary-actor",
                "actor_token_type": "urn:ietf:params:oauth:token-type:access_token", "audience": "billing",
                "scope": "read", "client_id": "app",
            ]
        )
        #expect(!"\(exchange) \(String(reflecting: exchange))".contains("canary"))
    }

    @Test func `A token exchange can issue a token of a type other than access_token`() async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(
            .tokens(["token_type": "N_A", "issued_token_type": "urn:ietf:params:oauth:token-type:jwt"])
        )
        let exchange = TokenExchange(subjectToken: "s", requestedTokenType: .jwt)
        let exchanged = try await identity.client().exchange(exchange)
        #expect(exchanged.issuedTokenType == .jwt)
        #expect(exchanged.tokens.tokenType == "N_A")
    }

    @Test func `A client credentials request omits the scope openid`() async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.tokens())
        let tokens = try await identity.client { $0.authentication = .secretBasic("s") }.clientCredentialsTokens()
        #expect(identity.forms("/token") == [["grant_type": "client_credentials", "scope": "api"]])
        #expect(tokens.refreshToken == nil)
    }
}
