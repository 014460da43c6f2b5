import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

/// Servers whose metadata has an issuer for all of their tenants.
@Suite(.concurrencyLimited) struct IssuerTemplateTests {
    private static let template = "https://id.example.com/{tenantid}/v2.0"

    private func identity() throws -> MockIdentityServer {
        try MockIdentityServer(["issuer": .string(Self.template)])
    }

    private func issuer(_ tenant: String) -> JsonValue { .string("https://id.example.com/\(tenant)/v2.0") }

    @Test func `Metadata with a template is refused with the setting that accepts it`() async throws {
        let error = try await oauthError { _ = try await identity().client().server.metadata() }
        #expect(error.failure.reason.contains("the metadata is for \"\(Self.template)\""))
        #expect(error.failure.advice?.contains("issuerTemplate") == true)
    }

    @Test(arguments: ["https://id.example.com/v2.0", "{tenantid}{tenantid}", ""])
    func `A template without one placeholder is refused`(template: String) async throws {
        let client = try identity().client { $0.issuerTemplate = template }
        let error = try await oauthError { _ = try await client.server.metadata() }
        #expect(error.failure.reason.contains("does not contain {tenantid} once"))
    }

    @Test func `Users of any tenant sign in, and remain in their tenant`() async throws {
        let identity = try identity()
        let client = identity.client { $0.issuerTemplate = Self.template }
        let request = try await client.authorizationRequest()
        let claims: [String: JsonValue] = ["iss": issuer("t-1"), "tid": "t-1", "nonce": .string(request.nonce ?? "")]
        try await identity.answerTokens(idToken: claims)
        let callback = request.callback("code=c&iss=https%3A%2F%2Fid.example.com%2Ft-1%2Fv2.0")
        let tokens = try await client.tokens(from: callback, for: request)
        #expect(tokens.idToken != nil)

        try await identity.answerTokens(idToken: ["iss": issuer("t-1"), "tid": "t-1"])
        #expect(try await client.refresh(tokens).idToken != tokens.idToken)
        try await identity.answerTokens(idToken: ["iss": issuer("t-2"), "tid": "t-2"])
        let error = try await oauthError { _ = try await client.refresh(tokens) }
        #expect(
            error.failure.underlying as? IdTokenError
                == .issuer(
                    expected: "https://id.example.com/t-1/v2.0",
                    actual: "https://id.example.com/t-2/v2.0"
                )
        )
    }

    @Test(arguments: ["https%3A%2F%2Fevil.example.com%2Ft-1%2Fv2.0", "https%3A%2F%2Fid.example.com%2Fa%2Fb%2Fv2.0"])
    func `A callback from an issuer that does not match the template is refused`(issuer: String) async throws {
        let identity = try identity()
        let client = identity.client { $0.issuerTemplate = Self.template }
        let request = try await client.authorizationRequest()
        let callback = request.callback("code=c&iss=\(issuer)")
        let error = try await oauthError { _ = try await client.tokens(from: callback, for: request) }
        #expect(error.failure.reason.contains("the response is from"))
        #expect(identity.forms("/token").isEmpty)
    }

    @Test func `A key that names an issuer verifies only tokens of that issuer`() throws {
        func part(_ json: String) -> String { Base64Url.encode(Data(json.utf8)) }
        let token = part(#"{"alg":"ES256"}"#) + "." + part(#"{"iss":"https://id.example.com/t-1/v2.0"}"#) + ".AAAA"
        let signature = try JsonWebSignature(parsing: token)
        func isUsable(_ members: [String: JsonValue]) -> Bool { JsonWebKey(members: members).isOfIssuer(of: signature) }
        #expect(isUsable([:]) && isUsable(["issuer": issuer("t-1")]) && isUsable(["issuer": .string(Self.template)]))
        #expect(!isUsable(["issuer": issuer("t-2")]))
    }

    @Test func `An id_token outside of the allowed clock skew names the setting`() async throws {
        let identity = try MockIdentityServer()
        let now = Int64(MockIdentityServer.now.timeIntervalSince1970)
        for (skew, isAccepted) in [(60, false), (600, true)] {
            let client = identity.client { $0.allowedClockSkew = .seconds(skew) }
            let request = try await client.authorizationRequest()
            try await identity.answerTokens(
                idToken: ["iat": .integer(now + 300), "nonce": .string(request.nonce ?? "")]
            )
            if isAccepted {
                _ = try await client.tokens(from: request.callback(), for: request)
                continue
            }
            let error = try await oauthError { _ = try await client.tokens(from: request.callback(), for: request) }
            #expect(error.description.contains("5 min before (iat); correct the clock"), "\(error)")
            #expect(error.failure.advice?.contains("allowedClockSkew") == true)
        }
    }
}
