import Foundation
import SallyportGateway
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportService

@Suite(.concurrencyLimited) struct ServicePagesTests {
    private struct Numbers: Endpoint {
        typealias Response = [Int]
        var size = 2
        var path: EndpointPath { "/numbers" }
        var parameters: EndpointParameters { ["size": size] }
    }

    private struct Unusable: Endpoint {
        typealias Response = [Int]
        var path: EndpointPath { "no slash before it\n" }
    }

    private struct Posted: Endpoint {
        typealias Response = [Int]
        var path: EndpointPath { "/numbers" }
        var method: HttpMethod { .post }
    }

    @Test func `Responses are decoded page by page from their envelopes`() async throws {
        let (service, server) = try service { page in
            let body = #"{"status": {}, "body": [\#(page)]}"#
            return page < 3 ? .json(body).next(page + 1) : .json(body)
        }
        var answers: [[Int]] = []
        for try await answer in service.pages(Numbers()) { answers.append(answer) }
        #expect(answers == [[1], [2], [3]])
        #expect(server.requests.map(\.query) == ["size=2", "size=2&page=2", "size=2&page=3"])
        #expect(server.requests.allSatisfy { $0.header("X-App") == "1" })
    }

    @Test func `The error for a failed page has the page number and the server's message`() async throws {
        let (service, _) = try service { page in
            page == 1
                ? .json(#"{"body": [1]}"#).next(2) : .json(#"{"status": {"message": "Too far."}}"#, status: 404).next(3)
        }
        let (answers, error) = await outcome(of: service.pages(Numbers()))
        #expect(answers == [[1]])
        #expect(error?.page == 2)
        guard case .service(NetworkServiceError.refused(let info)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(info.message == "Too far.")
    }

    @Test func `A page that cannot be decoded ends the sequence`() async throws {
        let (service, server) = try service { .json(#"{"body": ["x"]}"#).next($0 + 1) }
        var pages = service.pages(Numbers()).makeAsyncIterator()
        let error = await #expect(throws: PaginationError.self) { try await pages.next() }
        guard case .service(NetworkServiceError.undecodable) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        let more = try await pages.next()
        #expect(more == nil)
        #expect(server.requests.count == 1)
    }

    @Test func `An endpoint with an invalid path or another method than GET sends nothing`() async throws {
        let (service, server) = try service { _ in .json("{}") }
        let (_, unusable) = await outcome(of: service.pages(Unusable()))
        #expect(unusable?.page == 1)
        guard case .network(.invalidRequest(let failure)) = unusable?.reason else {
            Issue.record("\(String(describing: unusable))")
            return
        }
        #expect(failure.reason.hasSuffix(" contains a control character"))
        let (_, posted) = await outcome(of: service.pages(Posted()))
        #expect(posted?.description.contains("pages are fetched with GET, not POST") == true)
        #expect(server.requests.isEmpty)
    }

    @Test func `Cancelling the task that reads pages cancels the request of a page`() async throws {
        let isCalled = Signal()
        let transport = MockTransport { _ in
            isCalled.fire()
            return .stall
        }
        let client = HttpClient.createClient { $0.transport = transport }
        let service = try ServiceClient(baseURL: "https://api.example.com", client: client)
        let reading = Task { await outcome(of: service.pages(Numbers())).error }
        try await isCalled.wait()
        reading.cancel()
        guard case .network(.cancelled) = await reading.value?.reason else {
            Issue.record("the pages were not cancelled")
            return
        }
    }

    @Test func `All items of the gateway are received page by page`() async throws {
        struct Item: Decodable, Sendable { var id: Int }
        struct Items: Endpoint {
            typealias Response = [Item]
            var path: EndpointPath { "/api/items" }
            var parameters: EndpointParameters { ["per_page": 20] }
            var responseFormat: ResponseFormat? { .enveloped() }
        }
        try await Gateway.withRunning { address in
            let service = try ServiceClient(baseURL: address.baseURL)
            var ids: [Int] = []
            for try await page in service.pages(Items()) { ids += page.map(\.id) }
            #expect(ids.count == 95)
            #expect(Set(ids).count == 95)
        }
    }

    private func service(
        _ answer: @escaping @Sendable (Int) -> MockResponse
    ) throws -> (ServiceClient, MockTransport) {
        let server = MockTransport()
        server.on(.get, "/v1/numbers") { request in
            let page = request.query?.split(separator: "&").first { $0.hasPrefix("page=") }?.dropFirst(5)
            return answer(page.flatMap { Int($0) } ?? 1)
        }
        let client = HttpClient.createClient { $0.transport = server }
        var configuration = try ServiceClientConfiguration(baseURL: "https://api.example.com/v1")
        configuration.headers = ["X-App": "1"]
        configuration.responseFormat = .enveloped()
        return (ServiceClient(configuration, client: client), server)
    }

    private func outcome<E: Endpoint>(
        of pages: ServicePages<E>
    ) async -> (answers: [E.Response], error: PaginationError?) {
        var answers: [E.Response] = []
        do {
            for try await answer in pages { answers.append(answer) }
            return (answers, nil)
        } catch {
            return (answers, error)
        }
    }
}

extension MockResponse {
    /// Returns the response with a link to the next page.
    fileprivate func next(_ page: Int) -> MockResponse {
        header(.init("Link")!, "</v1/numbers?size=2&page=\(page)>; rel=\"next\"")
    }
}
