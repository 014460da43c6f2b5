import SallyportTransport

extension NetworkService {
    /// Calls an endpoint, and then the pages that follow by the `Link` header (RFC 8288), and gives their typed answers.
    ///
    /// ```swift
    /// for try await users in service.pages(SearchUsers(name: "Ada")) { print(users.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: The first page; it is called by GET.
    ///   - options: How far the pages are followed.
    /// - Returns: The answers. Reading them throws ``PaginationError``.
    public func pages<E: Endpoint>(_ endpoint: E, options: PaginationOptions = PaginationOptions()) -> ServicePages<E> {
        ServicePages(service: self, endpoint: endpoint, options: options)
    }
}

/// The typed answers of an endpoint, page by page, each fetched when it is asked for.
public struct ServicePages<E: Endpoint>: AsyncSequence, Sendable {
    let service: NetworkService
    let endpoint: E
    let options: PaginationOptions

    /// Calls the endpoint, and fetches the pages after it.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let pages: ServicePages
        fileprivate var reader: PageReader?
        fileprivate var isOver = false

        /// The answer of the next page; `nil` after the last.
        ///
        /// - Throws: ``PaginationError`` saying on which page. After that there is none.
        public mutating func next() async throws(PaginationError) -> E.Response? {
            if isOver { return nil }
            isOver = true
            var reader = try currentReader()
            guard let response = try await reader.next() else { return nil }
            do throws(NetworkServiceError) {
                let answer = try pages.service.reader.read(response, as: pages.endpoint)
                self.reader = reader
                isOver = false
                return answer
            } catch {
                throw reader.failure(.service(error))
            }
        }

        private func currentReader() throws(PaginationError) -> PageReader {
            if let reader { return reader }
            return try pages.firstReader()
        }
    }

    /// Starts with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    fileprivate func firstReader() throws(PaginationError) -> PageReader {
        do throws(NetworkServiceError) {
            let sender = ServiceSender(service: service)
            return PageReader(sender, try service.request(for: endpoint), options, refusesFailures: false)
        } catch {
            throw PaginationError(.service(error), page: 1, url: "\(endpoint.path)")
        }
    }
}

/// Sends requests as calls of a service, which can cancel them.
private struct ServiceSender: HttpSender {
    let service: NetworkService

    func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        try await service.calls.run { () async -> Result<HttpResponse, NetworkError> in
            await service.client.request(request: request)
        }.get()
    }
}
