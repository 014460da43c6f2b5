import Foundation
import TestSupport
import Testing

@testable import SallyportTransport

@Suite(.concurrencyLimited) struct JsonValueTests {
    @Test func `The Foundation value can be cast to the types of JSON`() throws {
        let json = #"{"integer": 9007199254740993, "number": 0.5, "bool": true, "none": null, "list": ["x", {"a": 1}]}"#
        let value = try JSONDecoder().decode(JsonValue.self, from: Data(json.utf8)).foundationValue
        let members = try #require(value as? [String: Any])
        #expect(members["integer"] as? Int == 9_007_199_254_740_993)
        #expect(members["number"] as? Double == 0.5)
        #expect(members["bool"] as? Bool == true)
        #expect(members["none"] is NSNull)
        let list = try #require(members["list"] as? [Any])
        #expect(list.first as? String == "x")
        #expect((list.last as? [String: Any])?["a"] as? Int == 1)
        #expect(JSONSerialization.isValidJSONObject(members))
    }
}
