import Foundation
import SallyportJOSE
import SallyportOAuth
import Testing

/// A token with a valid signature and an invalid claim.
struct IdTokenClaimAttack: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let changes: [String: JsonValue?]
    let refusal: IdTokenError

    init(_ name: String, _ changes: [String: JsonValue?], _ refusal: IdTokenError) {
        testDescription = name
        self.changes = changes
        self.refusal = refusal
    }

    private static func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }
    private static let now = IdTokenFixture.now

    static let all: [IdTokenClaimAttack] = [
        .init(
            "wrong issuer",
            ["iss": "https://evil.example"],
            .issuer(expected: IdTokenFixture.issuer, actual: "https://evil.example")
        ),
        .init(
            "issuer with a trailing slash",
            ["iss": "https://id.example.com/"],
            .issuer(expected: IdTokenFixture.issuer, actual: "https://id.example.com/")
        ),
        .init("no issuer", ["iss": nil], .missing("iss")),
        .init("no subject", ["sub": ""], .missing("sub")),
        .init("another subject", ["sub": "mallory"], .subject(expected: "alice", actual: "mallory")),
        .init("wrong audience", ["aud": "other"], .audience(expected: "app", actual: ["other"])),
        .init("no audience", ["aud": []], .missing("aud")),
        .init("audience of numbers", ["aud": [1, "app"]], .missing("aud")),
        .init("several audiences without azp", ["aud": ["app", "b"]], .authorizedParty(expected: "app", actual: nil)),
        .init(
            "several audiences with another azp",
            ["aud": ["app", "b"], "azp": "b"],
            .authorizedParty(expected: "app", actual: "b")
        ),
        .init("one audience with another azp", ["azp": "b"], .authorizedParty(expected: "app", actual: "b")),
        .init("azp of another type", ["azp": 1], .authorizedParty(expected: "app", actual: nil)),
        .init("no nonce", ["nonce": nil], .nonce(isMissing: true)),
        .init("another nonce", ["nonce": "n-2"], .nonce(isMissing: false)),
        .init("expired", ["exp": 1_799_999_940], .expired(at: date(1_799_999_940), now: now)),
        .init("no expiry", ["exp": nil], .missing("exp")),
        .init("expiry as a string", ["exp": "1800000300"], .missing("exp")),
        .init("issued in the future", ["iat": 1_800_000_061], .issuedInFuture(at: date(1_800_000_061), now: now)),
        .init("no time of issue", ["iat": nil], .missing("iat")),
        .init("not yet valid", ["nbf": 1_800_000_061], .notYetValid(until: date(1_800_000_061), now: now)),
        .init(
            "signed in too long ago",
            ["auth_time": 1_799_999_339],
            .authenticationTime(at: date(1_799_999_339), now: now, maximumAge: .seconds(600))
        ),
        .init(
            "signed in in the future",
            ["auth_time": 1_800_000_061],
            .authenticationTime(at: date(1_800_000_061), now: now, maximumAge: .seconds(600))
        ),
        .init("no authentication time", ["auth_time": nil], .missing("auth_time")),
        .init("another access token", ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], .accessTokenHash),
        .init("at_hash of another type", ["at_hash": 1], .accessTokenHash),
        .init("another code", ["c_hash": "AAAAAAAAAAAAAAAAAAAAAA"], .codeHash),
    ]
}
