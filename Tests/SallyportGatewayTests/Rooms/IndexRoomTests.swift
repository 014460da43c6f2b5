import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import SallyportGateway

@Suite("The index", .concurrencyLimited)
struct IndexRoomTests {
    private struct Index: Decodable {
        let routes: [String: String]
    }

    @Test("lists what every room can do")
    func lists() async throws {
        try await withRouter { client in
            let index = try await client.execute(uri: "/", method: .get).decode(Index.self)
            for room in Rooms.all {
                for route in room.guide.keys {
                    #expect(index.routes[route] == room.guide[route])
                }
            }
        }
    }

    @Test("has the health of the gateway beside it")
    func health() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/health", method: .get)
            #expect(response.text == "{\n  \"status\" : \"ok\"\n}")
        }
    }

    @Test("does not know other routes, and says so in JSON", arguments: ["/nowhere", "/bytes", "/health/deeper"])
    func unknown(uri: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .notFound)
            let message = "No room answers GET here. GET / lists them."
            let answer = try response.decode(ErrorAnswer.self)
            #expect(answer == ErrorAnswer(status: 404, error: "Not Found", message: message))
        }
    }

    @Test("answers HEAD like GET without the body", arguments: ["/", "/health", "/echo", "/cookies", "/nowhere"])
    func head(uri: String) async throws {
        try await withRouter { client in
            let get = try await client.execute(uri: uri, method: .get)
            let head = try await client.execute(uri: uri, method: .head)
            #expect(head.status == get.status)
            #expect(head.body.readableBytes == 0)
            #expect(head.headers[.contentType] == get.headers[.contentType])
            if uri != "/echo" && uri != "/nowhere" {
                #expect(head.headers[.contentLength] == "\(get.body.readableBytes)")
            }
        }
    }
}
