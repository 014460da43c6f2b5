import Foundation
import SallyportOAuth
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CodeChallengeTests {
    @Test func `The code challenge matches RFC 7636, appendix B`() {
        let challenge = CodeChallenge(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(challenge?.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `New verifiers have 43 characters, are unique and do not appear in the description`() {
        let one = CodeChallenge()
        let other = CodeChallenge()
        #expect(one.verifier.utf8.count == 43)
        #expect(one.verifier != other.verifier)
        #expect(CodeChallenge(verifier: one.verifier) == one)
        var shown = "\(one) \(String(reflecting: one))"
        dump(one, to: &shown)
        #expect(!shown.contains(one.verifier))
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 42), String(repeating: "a", count: 129),
        String(repeating: "a", count: 43) + "=",
    ])
    func `A verifier of invalid length or with invalid characters is refused`(_ text: String) {
        #expect(CodeChallenge(verifier: text) == nil)
    }
}
