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

    @Test func `A browser gets the index as a page that loads nothing, with links to the routes that it can open`()
        async throws
    {
        try await withRouter { client in
            let page = try await client.execute(uri: "/", method: .get, headers: [.accept: "text/html,*/*;q=0.8"])
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; style-src 'sha256-") == true)
            #expect(page.headers[.vary] == "Accept")
            #expect(page.text.contains("<strong>http://localhost</strong>"))
            #expect(page.text.contains("<a href=\"/cookies/delete\">/cookies/delete?name</a>"))
            #expect(page.text.contains("<dt>/status/{code}</dt>"))
            #expect(!page.text.contains("Accounts") && !page.text.contains("Commands to try"))
        }
    }

    @Test func `The page lists the development accounts and the suggested commands, escaped`() async throws {
        var identity = try AuthorizationServerConfiguration.development()
        identity.signatureAlgorithms = [.es256]
        identity.clients.removeAll { $0.id == "conf" }
        identity.issuer = "https://id.example.com"
        var configuration = GatewayConfiguration(authorizationServer: try AuthorizationServer(identity))
        configuration.suggestedCommands = { url, _ in ["sallyport get '\(url)/a&b'"] }
        let client = RouterClient(Router.gateway(routeGroups: [], configuration))
        let text = try await client.execute(uri: "/", method: .get, headers: [.accept: "text/html"]).text
        #expect(text.contains("<dt>user alice</dt>\n<dd>The password is wonderland.</dd>"))
        #expect(text.contains("<dt>client pub</dt>") && !text.contains("s3cret-conf"))
        #expect(text.contains("<pre>sallyport get &#39;https://id.example.com/a&amp;b&#39;</pre>"))
    }

    @Test func `The page of a server with own users and clients does not name them`() async throws {
        var identity = AuthorizationServerConfiguration(
            users: [GatewayUser(username: "dora", password: try PasswordHash(hashing: "pw-dora", cost: 4))],
            clients: [
                GatewayClient(
                    id: "own-app",
                    metadata: ClientMetadata(redirectURIs: ["https://app.example.com/callback"])
                )
            ]
        )
        identity.signatureAlgorithms = [.es256]
        let configuration = GatewayConfiguration(authorizationServer: try AuthorizationServer(identity))
        let client = RouterClient(Router.gateway(routeGroups: [], configuration))
        let text = try await client.execute(uri: "/", method: .get, headers: [.accept: "text/html"]).text
        #expect(text.contains("<h1>Development server</h1>"))
        #expect(!text.contains("dora") && !text.contains("own-app"))
    }

    @Test func `The health route reports the status ok`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/health", method: .get)
            #expect(response.text == "{\n  \"status\" : \"ok\"\n}\n")
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
