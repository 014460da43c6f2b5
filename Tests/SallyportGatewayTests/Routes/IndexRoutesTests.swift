import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct IndexRoutesTests {
    private struct Index: Decodable {
        let routes: [String: String]
    }

    @Test func `The index lists the routes of each group`() async throws {
        try await withRouter { client in
            let index = try await client.execute(uri: "/", method: .get).decode(Index.self)
            for group in RouteGroups.all {
                for route in group.routeDescriptions.keys {
                    #expect(index.routes[route] == group.routeDescriptions[route])
                }
            }
        }
    }

    @Test func `The health route reports the status ok`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/health", method: .get)
            #expect(response.text == "{\n  \"status\" : \"ok\"\n}")
        }
    }

    @Test(arguments: ["/nowhere", "/bytes", "/health/deeper"])
    func `An unknown route is answered with 404 and a JSON message`(uri: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .notFound)
            let message = "No route matches GET here. GET / lists the routes."
            let answer = try response.decode(ErrorAnswer.self)
            #expect(answer == ErrorAnswer(status: 404, error: "Not Found", message: message))
        }
    }

    @Test func `The 404 for a path in a realm states that the realm may not be configured`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/json/realms/nope/authenticate", method: .post)
            let message =
                "No route matches POST here. The realm in the path may not be configured. GET / lists the routes."
            #expect(try response.decode(ErrorAnswer.self).message == message)
        }
    }

    @Test(arguments: ["/", "/health", "/echo", "/cookies", "/nowhere"])
    func `A HEAD response equals the GET response without its body`(uri: String) async throws {
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
