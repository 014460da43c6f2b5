import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import SallyportGateway

@Suite("The index", .concurrencyLimited)
struct IndexRoutesTests {
    private struct Index: Decodable {
        let routes: [String: String]
    }

    @Test("lists the routes of every group")
    func lists() async throws {
        try await withRouter { client in
            let index = try await client.execute(uri: "/", method: .get).decode(Index.self)
            for group in RouteGroups.all {
                for route in group.routeDescriptions.keys {
                    #expect(index.routes[route] == group.routeDescriptions[route])
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
            let message = "No route matches GET here. GET / lists the routes."
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
