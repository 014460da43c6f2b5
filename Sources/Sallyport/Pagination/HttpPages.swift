import Foundation
import SallyportTransport

/// The pages of a paginated response, fetched on demand by following the links that the server sends (RFC 8288).
public struct HttpPages: AsyncSequence, Sendable {
    let client: HttpClient
    let request: HttpRequest
    let options: PaginationOptions

    /// An iterator that fetches the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: PageReader

        /// Returns the next page; `nil` after the last.
        ///
        /// - Throws: ``PaginationError``, which states the page. The sequence ends after an error.
        public mutating func next() async throws(PaginationError) -> HttpResponse? {
            try await reader.next()
        }
    }

    /// Returns an iterator that begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: PageReader(request, options, sendingWith: client.request(request:)))
    }
}

/// The pages of a paginated response, decoded from JSON.
public struct DecodedPages<Page: Decodable & Sendable>: AsyncSequence, Sendable {
    let pages: HttpPages
    let decoder: @Sendable () -> JSONDecoder

    /// An iterator that fetches and decodes the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: PageReader
        fileprivate let decoder: JSONDecoder

        /// Returns the next page; `nil` after the last.
        ///
        /// - Throws: ``PaginationError``, which states the page. The sequence ends after an error.
        public mutating func next() async throws(PaginationError) -> Page? {
            guard let response = try await reader.next() else { return nil }
            do throws(NetworkError) {
                return try response.decode(Page.self, using: decoder)
            } catch {
                reader.end()
                throw reader.failure(.network(error))
            }
        }
    }

    /// Returns an iterator that begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            reader: PageReader(pages.request, pages.options, sendingWith: pages.client.request(request:)),
            decoder: decoder()
        )
    }
}

/// The elements of all pages of a paginated response.
public struct PagedElements<Page: Decodable & Sendable, Elements: Sequence>: AsyncSequence, Sendable {
    let pages: DecodedPages<Page>
    let elements: @Sendable (Page) -> Elements

    /// An iterator over the elements, which fetches pages on demand.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pages: DecodedPages<Page>.AsyncIterator
        fileprivate let elements: @Sendable (Page) -> Elements
        fileprivate var current: Elements.Iterator?

        /// Returns the next element; `nil` after the last.
        ///
        /// - Throws: ``PaginationError``, which states the page. The sequence ends after an error.
        public mutating func next() async throws(PaginationError) -> Elements.Element? {
            while true {
                if let element = current?.next() { return element }
                guard let page = try await pages.next() else { return nil }
                current = elements(page).makeIterator()
            }
        }
    }

    /// Returns an iterator that begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages: pages.makeAsyncIterator(), elements: elements, current: nil)
    }
}
