import ClientTestSupport
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct JsonTests {
    private struct User: Encodable {
        var name = "John"
        var age: Double? = 42
        var site = "https://example.com/"
    }

    @Test func `A dictionary is encoded with sorted keys`() {
        let request = makeRequest { request in
            request.post(json: [
                "b": ["x": 1, "a": [1, "two", true, NSNull()] as [Any]] as [String: Any],
                "a": "ü/", "n": 1.5, "o": Optional<Int>.none as Any, "p": Optional("yes") as Any,
            ])
        }
        #expect(request.body.text == #"{"a":"ü/","b":{"a":[1,"two",true,null],"x":1},"n":1.5,"o":null,"p":"yes"}"#)
        #expect(request.getHeader(name: "Content-Type") == "application/json")
    }

    @Test func `Methods with a body accept JSON objects and arrays`() {
        let builders: [(HttpMethod, (inout HttpRequest) -> Void)] = [
            (.post, { $0.post(json: ["a": 1]) }),
            (.put, { $0.put(json: ["a": 1]) }),
            (.patch, { $0.patch(json: ["a": 1]) }),
            (.delete, { $0.delete(json: ["a": 1]) }),
            (.post, { $0.post(json: [1]) }),
            (.put, { $0.put(json: [1]) }),
            (.patch, { $0.patch(json: [1]) }),
            (.delete, { $0.delete(json: [1]) }),
        ]
        for (method, build) in builders {
            let request = makeRequest(nil, build)
            #expect(request.getMethod() == method)
            #expect(["{\"a\":1}", "[1]"].contains(request.body.text))
        }
    }

    @Test func `An Encodable value is encoded with sorted keys`() {
        let request = makeRequest { $0.put(json: User()) }
        #expect(request.body.text == #"{"age":42,"name":"John","site":"https://example.com/"}"#)
    }

    @Test func `A custom encoder is used`() {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        struct Long: Encodable { var longName = 1 }
        #expect(makeRequest { $0.post(json: Long(), encoder: encoder) }.body.text == #"{"long_name":1}"#)
    }

    @Test func `A JSON content type that was already set is kept, another type is replaced`() {
        let kept = makeRequest { request in
            request.setHeader(name: "Content-Type", value: "application/merge-patch+json")
            request.patch(json: ["a": 1])
        }
        #expect(kept.getHeader(name: "Content-Type") == "application/merge-patch+json")
        let replaced = makeRequest { request in
            request.form(parameters: ["a": "1"])
            request.post(json: ["a": 1])
        }
        #expect(replaced.getHeader(name: "Content-Type") == "application/json")
    }

    @Test func `A value that cannot be encoded as JSON is refused with its path`() throws {
        let notANumber = makeRequest { $0.post(json: ["users": [["age": Double.nan] as [String: Any]]]) }
        #expect(refusal(of: notANumber).contains("at users.0.age"))
        let date = makeRequest { $0.post(json: ["born": Date()] as [String: Any]) }
        #expect(refusal(of: date).contains("at born: a value of type Date is not JSON"))
        let encodable = makeRequest { $0.post(json: ["users": [User(age: .infinity)]]) }
        #expect(refusal(of: encodable).contains("users"))
    }

    @Test func `A request with an invalid JSON body is not sent`() async throws {
        let (client, server) = makeClient()
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request(request: makeRequest { $0.post(json: ["a": Double.infinity]) })
        }
        #expect(server.requests.isEmpty)
    }
}
