import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct ItemsRoutesTests {
    private struct Item: Decodable, Equatable {
        let id: Int
        let name: String
        let price: Double
    }

    private static let link = HTTPField.Name("Link")!

    @Test(
        arguments: [
            ("", 1...20, "next 2 20, first 1 20, last 5 20"),
            ("?page=2", 21...40, "next 3 20, prev 1 20, first 1 20, last 5 20"),
            ("?page=5&per_page=20", 81...95, "prev 4 20, first 1 20, last 5 20"),
            ("?per_page=100", 1...95, "first 1 100, last 1 100"),
        ]
    )
    func `A page is returned in an envelope with links to other pages`(
        query: String,
        ids: ClosedRange<Int>,
        links: String
    ) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/api/items" + query, method: .get)
            let answer = try response.decode(TestEnvelope<[Item]>.self)
            #expect(answer.body?.map(\.id) == Array(ids))
            #expect(answer.status.message == "OK")
            let expected = links.split(separator: ", ").map { link in
                let words = link.split(separator: " ")
                return "</api/items?page=\(words[1])&per_page=\(words[2])>; rel=\"\(words[0])\""
            }
            #expect(response.headers[Self.link] == expected.joined(separator: ", "))
        }
    }

    @Test func `A page beyond the last one is empty and links to the last page`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/api/items?page=9", method: .get)
            #expect(try response.decode(TestEnvelope<[Item]>.self).body == [])
            #expect(response.headers[Self.link]?.contains("page=5&per_page=20>; rel=\"prev\"") == true)
            #expect(response.headers[Self.link]?.contains("rel=\"next\"") == false)
        }
    }

    @Test func `With envelope=false, the page and its links omit the envelope`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/api/items?envelope=false&page=1&per_page=2", method: .get)
            #expect(try response.decode([Item].self).map(\.name) == ["Item 1", "Item 2"])
            let next = "</api/items?envelope=false&page=2&per_page=2>; rel=\"next\""
            #expect(response.headers[Self.link]?.hasPrefix(next) == true)
        }
    }

    @Test(arguments: ["page=0", "page=-1", "page=x", "per_page=0", "per_page=101"])
    func `Invalid page parameters are refused`(query: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/api/items?" + query, method: .get)
            #expect(response.status == .badRequest)
        }
    }

    @Test(arguments: [("1", true), ("95", true), ("96", false), ("x", false)])
    func `An existing item can be read and deleted; for any other the error names the valid range`(
        id: String,
        isThere: Bool
    ) async throws {
        try await withRouter { client in
            let got = try await client.execute(uri: "/api/items/\(id)", method: .get)
            let answer = try got.decode(TestEnvelope<Item>.self)
            #expect(got.status == (isThere ? .ok : .notFound))
            #expect(answer.body?.name == (isThere ? "Item \(id)" : nil))
            #expect(answer.status.message == (isThere ? "OK" : "There is no such item; there are 1 to 95."))
            let deleted = try await client.execute(uri: "/api/items/\(id)", method: .delete)
            #expect(deleted.status == (isThere ? .noContent : .notFound))
        }
    }

    @Test(
        arguments: [
            (#"{"name": "Chair", "price": 5}"#, 201, "Created"),
            (#"{"name": " ", "price": 5}"#, 422, "The name must not be empty."),
            (#"{"name": "Chair", "price": -5}"#, 422, "The price must not be less than 0."),
            (#"{"name": "Chair"}"#, 400, "The body must be JSON with a name (text) and a price (a number)."),
            (#"{"name": "A", "price": "5"}"#, 400, "The body must be JSON with a name (text) and a price (a number)."),
            ("", 400, "The body must be JSON with a name (text) and a price (a number)."),
        ]
    )
    func `An item is created, or the error states why it is invalid`(body: String, status: Int, message: String)
        async throws
    {
        try await withRouter { client in
            let response = try await client.execute(uri: "/api/items", method: .post, body: ByteBuffer(string: body))
            let answer = try response.decode(TestEnvelope<Item>.self)
            #expect(response.status.code == status)
            #expect(answer.status.message == message)
            #expect(answer.body == (status == 201 ? Item(id: 96, name: "Chair", price: 5) : nil))
            #expect(response.headers[.location] == (status == 201 ? "/api/items/96" : nil))
        }
    }

    @Test(arguments: ["12.5", "12"])
    func `The price of an item can be a decimal number, and a whole one stays whole`(price: String) async throws {
        try await withRouter { client in
            let body = ByteBuffer(string: #"{"name": "Lamp", "price": \#(price)}"#)
            let response = try await client.execute(uri: "/api/items", method: .post, body: body)
            #expect(response.status == .created)
            #expect(String(buffer: response.body).contains("\"price\" : \(price)\n"))
        }
    }
}

/// The envelope as a client reads it.
struct TestEnvelope<Body: Decodable>: Decodable {
    struct Status: Decodable {
        let message: String
        let responseTimeStamp: String
    }

    let status: Status
    let body: Body?
}
