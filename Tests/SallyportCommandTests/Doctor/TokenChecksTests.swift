import Foundation
import SallyportJOSE
import SallyportOAuth
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct TokenChecksTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func findings(
        _ claims: [String: JsonValue]? = nil,
        ends: TimeInterval? = 60,
        refreshToken: String? = nil,
        flow: Profile.Flow = .browser,
        audience: String? = nil
    ) throws -> [Finding] {
        var token = "opaque"
        if let claims {
            let text = Base64Url.encode(try JSONEncoder().encode(claims))
            token = "\(Base64Url.encode(Data(#"{"alg":"ES256"}"#.utf8))).\(text).\(Base64Url.encode(Data(count: 64)))"
        }
        let tokens = OAuthTokens(accessToken: token, expiresAt: ends.map { now + $0 }, refreshToken: refreshToken)
        let profile = Profile(issuer: "https://id.example.com", clientID: "cli", flow: flow)
        return TokenChecks.findings(tokens, profile, audience: audience, now: now)
    }

    @Test func `An expired token is a problem only if it cannot be refreshed`() throws {
        #expect(try findings().first?.text.contains("valid until") == true)
        #expect(try findings(ends: nil).first?.level == .good)
        #expect(try findings(ends: -1).first?.level == .problem)
        #expect(try findings(ends: -1, refreshToken: "r").first?.level == .good)
        #expect(try findings(ends: -1, flow: .clientCredentials).first?.level == .good)
    }

    @Test func `A token that is not a JWT is not checked`() throws {
        #expect(try findings(audience: "api").map(\.level) == [.good, .good])
    }

    @Test func `The issuer of a token must be that of the profile`() throws {
        #expect(try findings(["iss": "https://id.example.com"]).map(\.level) == [.good])
        let other = try findings(["iss": "https://evil.example.com\u{1B}[2J"])
        #expect(other.map(\.level) == [.good, .problem])
        #expect(other.last?.text == "The issuer of the access token is https://evil.example.com\\u{1B}[2J.")
    }

    @Test(
        arguments: [("api", true), (["a", "api"], true), ("other", false), ([], false), (nil, false)]
            as [(JsonValue?, Bool)]
    )
    func `The audience of a token must be the expected one`(claim: JsonValue?, isGood: Bool) throws {
        let claims = ["aud": claim].compactMapValues(\.self)
        #expect(try findings(claims, audience: "api").last?.level == (isGood ? .good : .problem))
        #expect(try findings(claims).count == 1)
    }

    @Test func `A token with times in the future is a problem`() throws {
        let start = JsonValue.integer(Int64(now.timeIntervalSince1970))
        let later = JsonValue.integer(Int64(now.timeIntervalSince1970) + 31)
        let tolerated = JsonValue.integer(Int64(now.timeIntervalSince1970) + 30)
        #expect(try findings(["nbf": start, "iat": later]).count == 1)
        #expect(try findings(["nbf": tolerated]).count == 1)
        #expect(try findings(["nbf": later]).last?.level == .problem)
        #expect(try findings(["iat": later]).last?.level == .problem)
    }
}
