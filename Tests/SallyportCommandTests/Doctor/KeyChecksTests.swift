import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct KeyChecksTests {
    private static func key(_ name: String?, _ more: [String: JsonValue] = [:]) -> JsonWebKey {
        let members: [String: JsonValue] = ["kty": "EC", "use": "sig"]
        return JsonWebKey(
            members: members.merging(more) { $1 }.merging(name.map { ["kid": .string($0)] } ?? [:]) { $1 }
        )
    }

    @Test(
        "what is wrong with a server's keys is named",
        arguments: [
            ([key("a")], [.good], "1 key that signs"), ([key("a"), key("b")], [.good], "2 keys that sign"),
            ([], [.problem], "no key that signs"), ([key("a", ["use": "enc"])], [.problem], "no key that signs"),
            ([key(nil)], [.good], "1 key"), ([key("a"), key(nil)], [.good, .warning], "Not all"),
            ([key("a"), key("a")], [.good, .problem], "one name"),
            ([key("a", ["d": "AA"])], [.good, .problem], "secret key"),
            ([key("a"), key("b", ["kty": "oct", "k": "AA", "use": "enc"])], [.good, .problem], "secret key"),
        ] as [([JsonWebKey], [Finding.Level], String)]
    )
    func keys(keys: [JsonWebKey], levels: [Finding.Level], words: String) {
        let findings = KeyChecks.findings(JsonWebKeySet(keys))
        #expect(findings.map(\.level) == levels)
        #expect(findings.contains { $0.text.contains(words) })
    }
}
