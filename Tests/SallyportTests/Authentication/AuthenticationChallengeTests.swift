import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.busy) struct AuthenticationChallengeTests {
    private func parse(_ fields: String...) -> [AuthenticationChallenge] { AuthenticationChallenge.all(in: fields) }

    private func make(_ scheme: String, _ parameters: [String: String] = [:]) -> AuthenticationChallenge {
        AuthenticationChallenge(scheme: scheme, parameters: parameters)
    }

    @Test func `Several challenges are parsed from one field and from several fields`() {
        let digest = make("digest", ["realm": "a, Basic b=\"c\"", "nonce": "n"])
        let text = #"Digest realm="a, Basic b=\"c\"" , nonce = n"#
        #expect(parse(text) == [digest])
        #expect(
            parse("Basic realm=x, \(text)", "NEGOTIATE") == [make("basic", ["realm": "x"]), digest, make("negotiate")]
        )
        #expect(parse("Negotiate, \(text)") == [make("negotiate"), digest])
        #expect(parse("NTLM abc==,\t\(text),,") == [make("ntlm"), digest])
        #expect(parse(",, \(text), Bearer") == [digest, make("bearer")])
    }

    @Test(arguments: [
        "", " ", ",", "=", "\"", "Digest realm", "Digest realm=\"open", #"Digest realm="a\"#,
        "Digest realm=\"a\" nonce=\"b\"",
        "Digest =a", "Digest realm=\"a\", nonce=\"b\", nonce=\"c\"", "Digest realm=\"b\"", "é realm=a",
    ])
    func `A malformed challenge is never answered`(text: String) {
        #expect(parse(text).compactMap(DigestChallenge.init).isEmpty)
    }

    @Test(arguments: [
        (#"Bearer error="insufficient_user_authentication""#, true),
        ("DPoP error=insufficient_user_authentication", true),
        (#"Bearer error="invalid_token""#, false), (#"Basic error="insufficient_user_authentication""#, false),
        ("Bearer", false),
    ])
    func `A demand for another authentication is recognized`(_ field: String, isDemand: Bool) {
        #expect(AuthenticationChallenge.all(in: [field]).map(\.demandsAuthentication) == [isDemand])
    }

    @Test func `Challenges before a syntax error are retained`() {
        #expect(parse("Basic realm=a, Digest realm=b nonsense, Bearer").map(\.scheme) == ["basic", "digest"])
        #expect(parse("Basic realm=\"open", "Bearer") == [make("basic"), make("bearer")])
    }

    @Test func `The field size and the numbers of challenges and parameters are limited`() {
        let long = "Digest realm=\"\(String(repeating: "a", count: 16_384))\", nonce=b"
        #expect(parse("Basic realm=a", long) == [make("basic", ["realm": "a"])])
        #expect(parse((0..<100).map { "S\($0)" }.joined(separator: ", ")).count == 16)
        #expect(parse("Digest " + (0..<33).map { "p\($0)=1" }.joined(separator: ", ")).isEmpty)
        #expect(parse("Digest " + (0..<32).map { "p\($0)=1" }.joined(separator: ", ")).first?.parameters.count == 32)
    }

    @Test func `Parsing 20,000 random fields does not crash, and each Digest challenge gets a valid answer`()
        async throws
    {
        var generator = SeededGenerator(seed: 7)
        let words = [
            "Digest ", "Basic ", "realm=", "nonce=", "\"a\"", "\"", "\\", ",", ", ", " ", "=", "==", "qop=", "\"auth\"",
            "\"auth-int,x\"", "algorithm=MD5", "algorithm=SHA-256", "algorithm=SHA-512-256", "stale=true",
            "opaque=\"\\\"\"",
            "domain=\"/ //x ?\"",
            "userhash=true", "charset=UTF-8", "é", "\t", "username*=", "99999999999999999999",
        ]
        var answerable = 0
        for _ in 0..<20_000 {
            let start = Bool.random(using: &generator) ? "Digest realm=\"a\", nonce=\"b\", " : ""
            let count = Int.random(in: 0...10, using: &generator)
            let field = start + (0..<count).map { _ in words.randomElement(using: &generator) ?? "" }.joined()
            for challenge in parse(field).compactMap(DigestChallenge.init) {
                answerable += 1
                let target = try RequestTarget(url: Mufasa.url)
                let credentials = Credentials(
                    user: "ü\"",
                    password: "p",
                    origins: .success(try OriginSet([Mufasa.url])),
                    isColonAllowed: true
                )
                let session = DigestSession(challenge, for: credentials, at: target, clientNonce: "c")
                let value = try session.authorization(for: HttpRequest(url: Mufasa.url), to: target)
                #expect(HTTPField.isValidValue(value))
                #expect(AuthenticationChallenge.all(in: [value]).first?.parameters["response"] != nil, "\(value)")
            }
        }
        #expect(answerable > 3_000)
    }
}
