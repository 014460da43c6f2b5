import ClientTestSupport
import Foundation
import HTTPTypes
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct HttpPagesTests {
    private let request = makeRequest("https://api.example.com/users?page=1")

    // MARK: Following

    @Test func `Pages are fetched until one has no next link`() async throws {
        let (client, server) = makeClient(pages(3))
        var bodies: [String] = []
        for try await page in client.pages(request: request) { bodies.append(page.bodyAsString()) }
        #expect(bodies == ["[1,2]", "[3,4]", "[5,6]"])
        #expect(server.requests.map(\.url) == (1...3).map { "https://api.example.com/users?page=\($0)" })
    }

    @Test func `A page is fetched only when it is requested`() async throws {
        let (client, server) = makeClient(pages(3))
        for try await _ in client.pages(request: request) { break }
        #expect(server.requests.count == 1)
    }

    @Test func `Requests for later pages differ from the first only by their URL`() async throws {
        let (client, server) = makeClient(pages(2))
        let pages = client.pages { request in
            request.url = "https://api.example.com/users"
            request.setParameter(name: "page", value: "1")
            request.setHeader(name: "Accept-Language", value: "de")
            request.setHeader(name: "Authorization", value: "Bearer x")
        }
        for try await _ in pages {}
        #expect(server.requests.map(\.query) == ["page=1", "page=2"])
        #expect(server.requests.allSatisfy { $0.header("Accept-Language") == "de" })
        #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer x" })
    }

    @Test func `Elements are delivered one by one, also after empty pages`() async throws {
        let server = MockTransport()
        server.on(.get, "/a", .json("[]").header(.webLink, "</b>; rel=next"))
        server.on(.get, "/b", .json("[1, 2]").header(.webLink, "</c>; rel=next"))
        server.on(.get, "/c", .json("[]").header(.webLink, "</d>; rel=next"))
        server.on(.get, "/d", .json("[3]"))
        let (client, _) = makeClient(server)
        var numbers: [Int] = []
        let pages = client.pages(request: makeRequest("https://api.example.com/a"))
        for try await number in pages.elements(of: [Int].self) { numbers.append(number) }
        #expect(numbers == [1, 2, 3])
    }

    @Test func `A closure selects the elements of a decoded page`() async throws {
        struct Page: Decodable { var items: [Int] }
        let (client, _) = makeClient(.json(#"{"items": [7, 8]}"#))
        var numbers: [Int] = []
        let elements = client.pages(request: request).decoded(as: Page.self).elements { $0.items }
        for try await number in elements { numbers.append(number) }
        #expect(numbers == [7, 8])
    }

    @Test func `The next link is resolved against the URL after redirects`() async throws {
        let server = MockTransport()
        server.on(.get, "/old", .redirect(to: "/new/list"))
        server.on(.get, "/new/list", .json("[1]").header(.webLink, "<more>; rel=next"))
        server.on(.get, "/new/more", .json("[2]"))
        let (client, _) = makeClient(server) { $0.redirects = .follow(limit: 1) }
        for try await _ in client.pages(request: makeRequest("https://api.example.com/old")) {}
        #expect(server.requests.map(\.path) == ["/old", "/new/list", "/new/more"])
    }

    @Test func `Links of another relation can be followed`() async throws {
        let server = MockTransport()
        server.on(.get, "/a", .json("[]").header(.webLink, "</b>; rel=next, </c>; rel=prev"))
        server.on(.get, "/c", .json("[]"))
        let (client, _) = makeClient(server)
        let options = PaginationOptions.make { $0.relation = "prev" }
        for try await _ in client.pages(request: makeRequest("https://api.example.com/a"), options: options) {}
        #expect(server.requests.map(\.path) == ["/a", "/c"])
    }

    // MARK: Refusing

    @Test(arguments: [
        "http://api.example.com/b", "https://api.example.com:444/b", "https://example.com/b", "//evil.example/b",
    ])
    func `A link to another origin is refused by default`(link: String) async throws {
        let (_, error) = await follow(link)
        guard case .refusedLink(let problem) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem.contains(link.hasPrefix("http:") ? "from https to http" : "another origin"))
        #expect(error?.page == 1)
    }

    @Test func `Secrets of the request are not sent to another allowed origin`() async throws {
        let options = PaginationOptions.make { $0.allowsOtherOrigins = true }
        let (requests, error) = await follow("https://b.example/b", options) { request in
            request.setHeader(name: "Authorization", value: "Bearer secret")
            request.setHeader(name: "X-Tenant", value: "secret", isSensitive: true)
            request.setCookie(cookie: "id=secret")
            request.setHeader(name: "Accept-Language", value: "de")
        }
        #expect(error == nil)
        #expect(requests.count == 2)
        #expect(requests.last?.head.headerFields.contains { $0.value.contains("secret") } == false)
        #expect(requests.last?.header("Accept-Language") == "de")
        #expect(requests.first?.header("Authorization") == "Bearer secret")
    }

    @Test func `Secrets removed by a redirect are not sent with later pages`() async throws {
        let server = MockTransport { request in
            switch (request.url.contains("b.example"), request.path) {
            case (false, _): .redirect(to: "https://b.example/1")
            case (true, "/1"): .json("[]").header(.webLink, "</2>; rel=next")
            case (true, "/2"): .json("[]").header(.webLink, "</3>; rel=next")
            default: .json("[]")
            }
        }
        let (client, _) = makeClient(server) { $0.redirects = .follow(limit: 1) }
        let request = makeRequest("https://api.example.com/a") { request in
            request.setHeader(name: "Authorization", value: "Bearer secret")
            request.setHeader(name: "Accept-Language", value: "de")
        }
        for try await _ in client.pages(request: request) {}
        #expect(server.requests.map(\.path) == ["/a", "/1", "/2", "/3"])
        #expect(server.requests.map { $0.header("Authorization") != nil } == [true, false, false, false])
        #expect(server.requests.allSatisfy { $0.header("Accept-Language") == "de" })
    }

    @Test func `The client's credentials are sent only to their own origin`() async throws {
        let server = MockTransport { request in
            request.path == "/a" ? .json("[]").header(.webLink, "<https://b.example/b>; rel=next") : .json("[]")
        }
        let (client, _) = makeClient(server) { config in
            config.authentication = [.basic(user: "ada", password: "x", for: "https://api.example.com")]
        }
        let options = PaginationOptions.make { $0.allowsOtherOrigins = true }
        for try await _ in client.pages(request: makeRequest("https://api.example.com/a"), options: options) {}
        #expect(server.requests.map { $0.header("Authorization") != nil } == [true, false])
    }

    @Test(arguments: [
        "ftp://api.example.com/b", "javascript:alert(1)", "https://user:pw@api.example.com/b", "https://",
    ])
    func `An invalid link is an error`(link: String) async {
        let (requests, error) = await follow(link)
        guard case .refusedLink(let problem) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem.contains("invalid URL"))
        #expect(!problem.contains("pw"))
        #expect(requests.count == 1)
    }

    @Test(arguments: ["/a", "https://API.example.com:443/a", "/a#top", ""])
    func `A link to a page that was already fetched is an error`(link: String) async {
        let (requests, error) = await follow(link)
        guard case .loop = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(requests.count == 1)
    }

    @Test func `A loop over several pages is an error`() async {
        let (client, server) = makeClient(
            MockTransport { request in
                .json("[]").header(.webLink, request.path == "/a" ? "</b>; rel=next" : "</a>; rel=next")
            }
        )
        let (pages, error) = await outcome(of: client.pages(request: makeRequest("https://api.example.com/a")))
        #expect(pages == 2)
        #expect(error?.page == 2)
        #expect(
            "\(error!)"
                == "page 2, https://api.example.com/b: it leads to https://api.example.com/a, which has been fetched already"
        )
        #expect(server.requests.count == 2)
    }

    @Test func `More pages than the maximum are an error after the last allowed page`() async {
        let (exact, _) = makeClient(pages(3))
        let options = PaginationOptions.make { $0.maximumPages = 3 }
        let whole = await outcome(of: exact.pages(request: request, options: options))
        #expect(whole.pages == 3)
        #expect(whole.error == nil)
        let (longer, server) = makeClient(pages(4))
        let (pages, error) = await outcome(of: longer.pages(request: request, options: options))
        #expect(pages == 3)
        #expect(error?.page == 3)
        #expect(error?.description.contains("more than 3 pages; raise maximumPages") == true)
        #expect(server.requests.count == 3)
    }

    // MARK: Failing

    @Test(arguments: [301, 404, 500])
    func `An error status ends the pages, and the error has the page number and the response`(status: Int) async {
        let server = pages(2)
        server.on(.get, "/users") { request in
            request.query == "page=1"
                ? .json("[]").header(.webLink, "<?page=2>; rel=next")
                : .text("oh", status: status).header(.webLink, "<?page=3>; rel=next")
        }
        let (client, _) = makeClient(server)
        let (pages, error) = await outcome(of: client.pages(request: request))
        #expect(pages == 1)
        #expect(error?.page == 2)
        guard case .status(let response) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.bodyAsString() == "oh")
        let summary = response.status.summary
        #expect("\(error!)" == "page 2, https://api.example.com/users?…: the server answered \(summary)")
    }

    @Test func `A network or decoding error contains the page number`() async {
        let (failing, _) = makeClient(.fail(.connectionFailed("refused")))
        let first = await outcome(of: failing.pages(request: request))
        #expect(first.error?.page == 1)
        #expect(first.error?.description.contains("refused") == true)
        let (wrong, server) = makeClient(pages(3))
        let second = await outcome(of: wrong.pages(request: request).decoded(as: [String].self))
        #expect(second.error?.page == 1)
        #expect(second.error?.description.contains("not a String at 0") == true)
        #expect(server.requests.count == 1)
    }

    @Test func `Pages that failed return nil and send no further request`() async throws {
        let (client, server) = makeClient(.status(500))
        var pages = client.pages(request: request).makeAsyncIterator()
        let error = await #expect(throws: PaginationError.self) { try await pages.next() }
        #expect(error.map { caseName(of: $0.reason) } == "status")
        let more = try await pages.next()
        #expect(more == nil)
        #expect(server.requests.count == 1)
    }

    @Test func `Pages can be fetched only with GET`() async {
        let (client, server) = makeClient(pages(2))
        let (_, error) = await outcome(
            of: client.pages { request in
                request.url = "https://api.example.com/users"
                request.post(json: ["a": 1])
            }
        )
        #expect(error?.description.contains("pages are fetched with GET, not POST") == true)
        #expect(server.requests.isEmpty)
    }

    // MARK: Helpers

    /// Returns a server with a number of pages of two numbers each.
    private func pages(_ count: Int) -> MockTransport {
        let server = MockTransport()
        server.on(.get, "/users") { request in
            let page = Int(request.query?.dropFirst(5) ?? "") ?? 0
            let answer = MockResponse.json("[\(page * 2 - 1),\(page * 2)]")
            return page < count ? answer.header(.webLink, "</users?page=\(page + 1)>; rel=\"next\"") : answer
        }
        return server
    }

    /// Follows one link.
    private func follow(
        _ link: String,
        _ options: PaginationOptions = PaginationOptions(),
        _ build: (inout HttpRequest) -> Void = { _ in }
    ) async -> ([MockRequest], PaginationError?) {
        let (client, server) = makeClient(
            MockTransport { request in
                request.path == "/a" ? .json("[]").header(.webLink, "<\(link)>; rel=next") : .json("[]")
            }
        )
        let pages = client.pages(request: makeRequest("https://api.example.com/a", build), options: options)
        let error = await outcome(of: pages).error
        return (server.requests, error)
    }

    private func outcome<Pages: AsyncSequence>(of pages: Pages) async -> (pages: Int, error: PaginationError?) {
        var count = 0
        do {
            for try await _ in pages { count += 1 }
            return (count, nil)
        } catch {
            return (count, error as? PaginationError)
        }
    }
}

extension HTTPField.Name {
    fileprivate static let webLink = HTTPField.Name("Link")!
}

extension PaginationOptions {
    fileprivate static func make(_ change: (inout PaginationOptions) -> Void) -> PaginationOptions {
        var options = PaginationOptions()
        change(&options)
        return options
    }
}
