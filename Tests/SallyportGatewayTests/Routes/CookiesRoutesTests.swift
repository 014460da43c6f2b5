import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

private struct Cookies: Decodable {
    let cookies: [NamedValue]
}

@Suite(.concurrencyLimited) struct CookiesRoutesTests {
    @Test func `Received cookies are listed in order and without decoding`() async throws {
        try await withRouter { client in
            let headers: HTTPFields = [.cookie: "a=1; b=x%20y;c=d=e; a=2; bare"]
            let answer = try await client.execute(uri: "/cookies", method: .get, headers: headers).decode(Cookies.self)
            #expect(
                answer.cookies == [
                    NamedValue(name: "a", value: "1"), NamedValue(name: "b", value: "x%20y"),
                    NamedValue(name: "c", value: "d=e"), NamedValue(name: "a", value: "2"),
                    NamedValue(name: "bare", value: ""),
                ]
            )
        }
    }

    @Test(
        arguments: [
            ("a=1&b=2", ["a=1; Path=/", "b=2; Path=/"]),
            ("a=1&path=", ["a=1"]),
            ("path=/echo&a=1&secure&http-only", ["a=1; Path=/echo; Secure; HttpOnly"]),
            (
                "a=&max-age=60&same-site=Lax&domain=localhost",
                ["a=; Path=/; Max-Age=60; SameSite=Lax; Domain=localhost"]
            ),
            (
                "a=1&expires=Wed,%2001%20Jan%202025%2000:00:00%20GMT",
                ["a=1; Path=/; Expires=Wed, 01 Jan 2025 00:00:00 GMT"]
            ),
        ]
    )
    func `Cookies are set with the attributes in the query`(query: String, expected: [String]) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/cookies/set?\(query)", method: .get)
            #expect(response.headers[values: .setCookie] == expected)
        }
    }

    @Test func `Cookies are deleted with a Max-Age of zero`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/cookies/delete?a&b&path=/echo", method: .get)
            let expected = ["a=; Path=/echo; Max-Age=0", "b=; Path=/echo; Max-Age=0"]
            #expect(response.headers[values: .setCookie] == expected)
        }
    }

    @Test(arguments: ["", "path=/", "=1", "a=1%0d%0aX:%202", "a%3Db=1", "a=1;b", "a=1&path=/%00"])
    func `A query without a cookie or with invalid characters is refused`(query: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/cookies/set?\(query)", method: .get)
            #expect(response.status == .badRequest)
            #expect(response.headers[.setCookie] == nil)
        }
    }

    @Test func `A cookie of the authorization server is neither set nor deleted`() async throws {
        let reserved: Set<String> = ["iPlanetDirectoryPro", "__Host-iPlanetDirectoryPro"]
        let routes = CookiesRoutes(reservedNames: reserved)
        let client = RouterClient(Router.gateway(routeGroups: [routes]))
        let paths = reserved.flatMap { name in
            [
                "/cookies/set?\(name)=attacker", "/cookies/set?\(name)=attacker&secure",
                "/cookies/set?a=1&%20\(name)%09=attacker",
                "/cookies/delete?\(name)",
            ]
        }
        for path in paths {
            let response = try await client.execute(uri: path, method: .get)
            #expect(response.status == .badRequest, "\(path)")
            #expect(response.headers[.setCookie] == nil, "\(path)")
        }
        #expect(try await client.execute(uri: "/cookies/set?iplanet=1", method: .get).status == .ok)
    }
}
