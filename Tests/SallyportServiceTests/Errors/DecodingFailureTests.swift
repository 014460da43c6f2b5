import ClientTestSupport
import Foundation
import Sallyport
import SallyportService
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DecodingFailureTests {
    private struct Order: Decodable, Sendable {
        var id: Int
        var items: [Item]
    }

    private struct Item: Decodable, Sendable {
        var name: String
        var price: Int
        var at: Date?
    }

    /// Returns the failure to decode a body as an order, or as another type.
    private func failure<Value: Decodable & Sendable>(
        _ body: String,
        as type: Value.Type = Order.self
    ) async throws -> DecodingFailure {
        let (service, _) = try service(.json(body)) { $0.decoder.dateDecodingStrategy = .iso8601 }
        let error = try #require(await SallyportServiceTests.failure(of: Get(type), by: service))
        guard case .undecodable(let info) = error else { throw error }
        #expect(
            error.description.hasPrefix(
                "GET https://api.example.com/v1/thing: the response does not match the endpoint: found "
            )
        )
        #expect(info.response?.body == Data(body.utf8))
        return try #require(info.decoding)
    }

    @Test func `A decoding failure contains the path, the expected and the found value, and an excerpt`() async throws {
        let failure = try await failure(
            #"{"id": 1, "items": [{"name": "a", "price": 1}, {"name": "b", "price": "2 EUR"}]}"#
        )
        #expect(failure.path == "items[1].price")
        #expect(failure.expected == "Int")
        #expect(failure.found == "a text")
        #expect(failure.excerpt == #"{"id":1,"items":[{"name":"a","price":1},{"name":"b","price":"2 EUR"}]}"#)
        #expect(failure.description.hasPrefix("found a text instead of Int at items[1].price, in {"))
    }

    @Test(arguments: [
        (#"{"id": 1}"#, "", "a member \"items\"", "an object without it"),
        (#"{"id": null, "items": []}"#, "id", "Int", "null"),
        (#"{"id": true, "items": []}"#, "id", "Int", "a boolean"),
        (#"{"id": [], "items": []}"#, "id", "Int", "an array"),
        (#"{"id": 1, "items": {}}"#, "items", "an array", "an object"),
        (#"{"id": 1, "items": [[]]}"#, "items[0]", "an object", "an array"),
        ("[]", "", "an object", "an array"),
        (#""x""#, "", "an object", "a text"),
    ])
    func `Each kind of mismatch is described`(body: String, path: String, expected: String, found: String) async throws
    {
        let failure = try await failure(body)
        #expect(failure.path == path)
        #expect(failure.expected == expected)
        #expect(failure.found == found)
    }

    @Test func `A value of the right type that cannot be decoded is described with the reason`() async throws {
        // Foundation reports the path of the value, or on Linux that of its container.
        let date = try await failure(#"{"id": 1, "items": [{"name": "a", "price": 1, "at": "yesterday"}]}"#)
        #expect(date.path.hasPrefix("items[0]"))
        #expect(date.found.hasSuffix("that cannot be read (Expected date string to be ISO8601-formatted)"))
        #expect(date.expected == "")
        #expect(date.excerpt.contains(#""at":"yesterday""#))
        #expect(!date.description.contains("instead of"))
        let number = try await failure(#"{"id": 1.5, "items": []}"#)
        #expect(number.found.contains("that cannot be read"))
        #expect(number.excerpt.contains(#""id":1.5"#))
        struct Login: Decodable, Sendable { var pin: Int8 }
        let secret = try await failure(#"{"pin": 4711}"#, as: Login.self)
        #expect(!secret.description.contains("4711"))
    }

    @Test func `Secrets in the excerpt are masked, including the value itself`() async throws {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
        let body = """
            {"id": "x", "token": "t0psecret", "session": {"a": "t0psecret"}, "list": ["\(token)", "Bearer t0psecret"],
             "field": {"name": "password", "value": "t0psecret"}, "link": "https://example.com/?access_token=t0psecret",
             "blob": "QWxhZGRpbjpvcGVuIHNlc2FtZTEyMw==", "when": "2025-01-01T00:00:00.000Z"}
            """
        let failure = try await failure(body)
        #expect(!failure.excerpt.contains("t0psecret"))
        #expect(!failure.excerpt.contains("eyJ"))
        #expect(!failure.excerpt.contains("QWxh"))
        #expect(failure.excerpt.contains(#""token":"***""#))

        struct Login: Decodable, Sendable { var password: Int }
        let secret = try await self.failure(#"{"password": "t0psecret", "user": "ada"}"#, as: Login.self)
        #expect(secret.path == "password")
        #expect(secret.found == "a text")
        #expect(secret.excerpt == #"{"password":"***","user":"ada"}"#)

        struct Deep: Decodable, Sendable { var session: [String: [Int]] }
        let deep = try await self.failure(#"{"session": {"ids": [1, "t0psecret"]}}"#, as: Deep.self)
        #expect(deep.path == "session.ids[1]")
        #expect(deep.found == "a text")
        #expect(deep.excerpt == #"{"session":"***"}"#)
    }

    @Test func `The value of a pair with the name of a secret is masked in the excerpt`() async throws {
        struct Sent: Decodable, Sendable { var headers: [[Int]] }
        let failure = try await failure(#"{"headers": [[1, 2], ["Cookie", "sid=t0psecret"]]}"#, as: Sent.self)
        #expect(failure.excerpt == #"{"headers":[[1,2],["Cookie","***"]]}"#)
    }

    @Test func `The value of a header line with the name of a secret is masked in the excerpt`() async throws {
        struct Sent: Decodable, Sendable { var raw: [Int] }
        let failure = try await failure(#"{"raw": ["Accept: a", "Cookie: sid=t0psecret"]}"#, as: Sent.self)
        #expect(failure.excerpt == #"{"raw":["Accept: a","Cookie: ***"]}"#)
    }

    @Test func `A value is found by its name in the JSON, with a key decoding strategy`() async throws {
        struct Line: Decodable, Sendable { var unitPrice: Int }
        struct Basket: Decodable, Sendable { var orderLines: [Line] }
        let body = #"{"order_lines": [{"unit_price": 1}, {"unit_price": "2 EUR"}]}"#
        let (service, _) = try service(.json(body)) { $0.decoder.keyDecodingStrategy = .convertFromSnakeCase }
        let error = try #require(await SallyportServiceTests.failure(of: Get(Basket.self), by: service))
        let failure = try #require(error.info.decoding)
        #expect(failure.path == "orderLines[1].unitPrice")
        #expect(failure.found == "a text")
        #expect(failure.excerpt == #"{"order_lines":[{"unit_price":1},{"unit_price":"2 EUR"}]}"#)
    }

    @Test func `A secret is recognized by its name in the JSON, with a key decoding strategy`() async throws {
        struct Login: Decodable, Sendable { var theWord: Int }
        let (service, _) = try service(.json(#"{"access_token": "t0psecret", "the_word": "x"}"#)) { configuration in
            configuration.decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        let error = try #require(await SallyportServiceTests.failure(of: Get(Login.self), by: service))
        #expect(error.info.decoding?.excerpt == #"{"access_token":"***","the_word":"x"}"#)
    }

    @Test func `A value too far inside a large body is described without an excerpt`() async throws {
        let name = String(repeating: "a", count: 1 << 20)
        let failure = try await failure(
            #"{"id": 1, "items": [{"name": "\#(name)", "price": 1}, {"name": "b", "price": "2 EUR"}]}"#
        )
        #expect(failure.description == "found something instead of Int at items[1].price")
    }

    @Test func `An array with too few elements is described`() async throws {
        struct Pair: Decodable, Sendable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                _ = (try container.decode(Int.self), try container.decode(Int.self))
            }
        }
        let failure = try await failure("[1]", as: Pair.self)
        #expect(failure.path == "[1]")
        #expect(failure.found == "nothing")
        #expect(failure.excerpt == "[1]")
    }

    @Test func `The excerpt has a limited length and contains the value at any position`() async throws {
        let items = (0..<1000).map { #"{"name": "item \#($0)", "price": \#($0 == 700 ? "null" : "1")}"# }
        let failure = try await failure(#"{"id": 1, "items": [\#(items.joined(separator: ","))]}"#)
        #expect(failure.path == "items[700].price")
        #expect(failure.found == "null")
        #expect(failure.excerpt.count <= 240)
        #expect(failure.excerpt.hasPrefix("…"))
        #expect(failure.excerpt.hasSuffix("…"))
        #expect(failure.excerpt.contains(#"{"name":"item 700","price":null}"#))
    }

    @Test(arguments: [
        (#"{"id": 1, "items": [{"name": "a", "pri"#, #"{"id":1,"items":[{"name":"a","#),
        (#"{"id": 1, "items": [}"#, #"{"id":1,"items":["#),
        (#"{"id": 1, "token": "t0psec"#, #"{"id":1,"#),
        (#"{"id": 1 "items": []}"#, #"{"id":1"#),
        (#"{"id": 01}"#, #"{"id":"#),
    ])
    func `Malformed JSON is shown up to the error, without an unterminated text`(body: String, start: String)
        async throws
    {
        let failure = try await failure(body)
        #expect(failure.path == "")
        #expect(failure.excerpt.hasPrefix(start))
        #expect(!failure.excerpt.contains("t0psec"))
        #expect(failure.found == "broken JSON")
    }

    @Test func `A body that is not JSON is shown by its start`() async throws {
        let page = try await failure("<html><body>token=t0psecret\n" + String(repeating: "x ", count: 500))
        #expect(page.found == "an HTML page")
        #expect(page.expected == "Order")
        #expect(try await failure("<?xml version='1.0'?><error/>").found == "an XML document")
        #expect(try await failure("no JSON").found == "something that is not JSON")
        #expect(page.excerpt.hasPrefix("<html><body>token=***"))
        #expect(page.excerpt.count <= 240)
    }

    @Test func `Unusual and deeply nested bodies give an error without a crash`() async throws {
        let deep = String(repeating: "[", count: 100_000)
        let bodies = [
            deep, deep + String(repeating: "]", count: 100_000), "\"", "\"\\", "{\"a\"", "{\"\\u12\":1}", "-", "nul",
            "{\"a\":1,}", "[1,,2]", "{\"a\":\"\\ud800\"}", "\u{FEFF}{}", "{\"\":{\"\":{}}}",
        ]
        for body in bodies { _ = try await failure(body) }
    }
}
