import Sallyport
import SallyportTransport

extension ServiceClient {
    /// Returns the typed responses of an endpoint and of the pages that follow it by `Link` headers (RFC 8288).
    ///
    /// ```swift
    /// for try await users in service.pages(SearchUsers(name: "Ada")) { print(users.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the first page. Its method must be GET.
    ///   - options: The limits on following links.
    /// - Returns: The responses. Reading them throws ``PaginationError``.
    public func pages<E: Endpoint>(_ endpoint: E, options: PaginationOptions = PaginationOptions()) -> ServicePages<E> {
        ServicePages(service: self, endpoint: endpoint, options: options)
    }
}

/// The typed responses of a paginated endpoint, fetched on demand.
public struct ServicePages<E: Endpoint>: AsyncSequence, Sendable {
    let service: ServiceClient
    let endpoint: E
    let options: PaginationOptions

    /// An iterator that fetches the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let pages: ServicePages
        fileprivate var reader: PageReader?
        fileprivate var isOver = false

        /// Returns the next page; `nil` after the last.
        ///
        /// - Throws: ``PaginationError``, which states the page. The sequence ends after an error.
        public mutating func next() async throws(PaginationError) -> E.Response? {
            if isOver { return nil }
            // Only a page that has been read successfully continues the sequence.
            isOver = true
            var reader = try currentReader()
            guard let response = try await reader.next() else { return nil }
            do throws(NetworkServiceError) {
                let page = try pages.service.read(response, as: pages.endpoint)
                self.reader = reader
                isOver = false
                return page
            } catch {
                throw reader.failure(.service(error))
            }
        }

        private func currentReader() throws(PaginationError) -> PageReader {
            if let reader { return reader }
            return try pages.firstReader()
        }
    }

    /// Returns an iterator that begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    fileprivate func firstReader() throws(PaginationError) -> PageReader {
        do throws(NetworkServiceError) {
            let request = try service.request(for: endpoint)
            return PageReader(request, options, refusesFailures: false, sendingWith: service.client.request(request:))
        } catch {
            throw PaginationError(.service(error), page: 1, url: "\(endpoint.path)")
        }
    }
}
