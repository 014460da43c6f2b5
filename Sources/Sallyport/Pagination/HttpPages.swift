import Foundation
import SallyportTransport

/// The pages of an answer, each fetched when it is asked for, by the links that the server sends (RFC 8288).
public struct HttpPages: AsyncSequence, Sendable {
    let client: any HttpSender
    let request: HttpRequest
    let options: PaginationOptions

    /// Fetches the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: PageReader

        /// The next page; `nil` after the last.
        ///
        /// - Throws: ``PaginationError`` saying on which page. After that there is none.
        public mutating func next() async throws(PaginationError) -> HttpResponse? {
            try await reader.next()
        }
    }

    /// Starts with the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: PageReader(client, request, options))
    }
}

/// The pages of an answer, each read as JSON.
public struct DecodedPages<Page: Decodable & Sendable>: AsyncSequence, Sendable {
    let pages: HttpPages
    let decoder: @Sendable () -> JSONDecoder

    /// Fetches and reads the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: PageReader
        fileprivate let decoder: JSONDecoder

        /// The next page; `nil` after the last.
        ///
        /// - Throws: ``PaginationError`` saying on which page. After that there is none.
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

    /// Starts with the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: PageReader(pages.client, pages.request, pages.options), decoder: decoder())
    }
}

/// The elements of all pages of an answer, one after the other.
public struct PagedElements<Page: Decodable & Sendable, Elements: Sequence>: AsyncSequence, Sendable {
    let pages: DecodedPages<Page>
    let elements: @Sendable (Page) -> Elements

    /// Gives the elements of each page, and fetches the next one when it needs to.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pages: DecodedPages<Page>.AsyncIterator
        fileprivate let elements: @Sendable (Page) -> Elements
        fileprivate var current: Elements.Iterator?

        /// The next element; `nil` after the last.
        ///
        /// - Throws: ``PaginationError`` saying on which page. After that there is none.
        public mutating func next() async throws(PaginationError) -> Elements.Element? {
            while true {
                if let element = current?.next() { return element }
                guard let page = try await pages.next() else { return nil }
                current = elements(page).makeIterator()
            }
        }
    }

    /// Starts with the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages: pages.makeAsyncIterator(), elements: elements, current: nil)
    }
}
