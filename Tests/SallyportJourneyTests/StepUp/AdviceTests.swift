import Foundation
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct AdviceTests {
    private static func response(_ status: Int, _ headers: HttpHeaders) -> HttpResponse {
        HttpResponse(
            status: HttpStatus(code: status),
            headers: headers,
            request: HttpRequest(url: "https://api.example.com/")
        )
    }

    private static func location(_ xml: String) -> String {
        let value = xml.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return
            "https://am.example.com/am/?goto=https%3A%2F%2Fapi.example.com&authIndexType=composite_advice&authIndexValue=\(value)"
    }

    @Test func `An advice is read from a redirect, and escaped again`() throws {
        let xml = """
            <Advices>
            <AttributeValuePair><Attribute name="TransactionConditionAdvice"/>
            <Value>tx-&lt;1&gt;&amp;amp;</Value></AttributeValuePair></Advices>
            """
        let advice = try #require(Advice(in: Self.response(307, ["Location": [Self.location(xml)]])))
        #expect(advice.transactionID == "tx-<1>&amp;")
        #expect(
            advice.xml == "<Advices><AttributeValuePair><Attribute name=\"TransactionConditionAdvice\"/>"
                + "<Value>tx-&lt;1&gt;&amp;amp;</Value></AttributeValuePair></Advices>"
        )
        #expect("\(advice)" == "TransactionConditionAdvice")
    }

    @Test func `An advice is read from a challenge`() throws {
        let advices = Data(#"{"AuthenticateToServiceConditionAdvice":["/alpha:StepUp"]}"#.utf8).base64EncodedString()
        let headers: HttpHeaders = [
            "WWW-Authenticate": ["Basic realm=\"a\"", "SSOADVICE realm=\"/alpha\",advices=\"\(advices)\""]
        ]
        let advice = try #require(Advice(in: Self.response(401, headers)))
        #expect(advice == Advice(name: "AuthenticateToServiceConditionAdvice", value: "/alpha:StepUp"))
        #expect(advice.transactionID == nil)
    }

    @Test func `An advice has all conditions and values of the server, in a redirect and in a challenge`() throws {
        let object = #"{"TransactionConditionAdvice":["tx-1"],"AuthLevelConditionAdvice":["5","6"]}"#
        // The length of the text is not a multiple of three, so that it has padding, which some servers omit.
        let base64 = Base64Url.encode(Data((object + " ").utf8))
        let challenge = "SSOADVICE realm=\"/alpha\",advices=\"\(base64)\""
        let advice = try #require(Advice(in: Self.response(401, ["WWW-Authenticate": [challenge]])))
        #expect(
            advice.conditions == [
                "TransactionConditionAdvice": ["tx-1"], "AuthLevelConditionAdvice": ["5", "6"],
            ]
        )
        #expect(advice.transactionID == "tx-1")
        #expect(
            advice.xml == "<Advices><AttributeValuePair><Attribute name=\"AuthLevelConditionAdvice\"/>"
                + "<Value>5</Value><Value>6</Value></AttributeValuePair>"
                + "<AttributeValuePair><Attribute name=\"TransactionConditionAdvice\"/>"
                + "<Value>tx-1</Value></AttributeValuePair></Advices>"
        )
        #expect(Advice(in: Self.response(307, ["Location": [Self.location(advice.xml)]])) == advice)
        #expect("\(advice)" == "AuthLevelConditionAdvice, TransactionConditionAdvice")
        for invalid in [[:], ["A": []], ["A": [""]], ["A B": ["x"]], ["A": ["x"], "": ["x"]]] as [[String: [String]]] {
            #expect(Advice(conditions: invalid) == nil)
        }
    }

    @Test(arguments: [
        "https://am.example.com/am", "?authIndexType=service&authIndexValue=Login", "?authIndexType=composite_advice",
        "?authIndexType=composite_advice&authIndexValue=%3CAdvices%2F%3E",
        "?authIndexType=composite_advice&authIndexValue=" + String(repeating: "a", count: 20_000),
        location("<Attribute name=\"A\"/><Value></Value>"), location("<Attribute name=\"A B\"/><Value>x</Value>"),
        location("<Attribute name=\"A&quot;\"/><Value>x</Value>"),
    ])
    func `A redirect without a valid advice is an ordinary response`(_ location: String) {
        #expect(Advice(in: Self.response(307, ["Location": [location]])) == nil)
    }

    @Test(arguments: ["SSOADVICE", "SSOADVICE advices=\"!\"", "SSOADVICE advices=\"e30=\"", "Bearer advices=\"e30=\""])
    func `A challenge without a valid advice is an ordinary response`(_ challenge: String) {
        #expect(Advice(in: Self.response(401, ["WWW-Authenticate": [challenge]])) == nil)
    }

    @Test func `An advice in a response with another status is ignored`() {
        let xml = "<Attribute name=\"A\"/><Value>x</Value>"
        #expect(Advice(in: Self.response(302, ["Location": [Self.location(xml)]])) == nil)
    }
}
