import Foundation
import SallyportTransport

extension HttpClient {
    /// Returns a page and the pages that follow it by `Link` headers with the relation `next` (RFC 8288).
    ///
    /// ```swift
    /// let pages = client.pages { request in request.url = "https://api.example.com/users?per_page=100" }
    /// for try await page in pages { print(page.bodyAsString()) }
    /// ```
    ///
    /// Each page is fetched on demand, with the same request except for its URL. An unsuccessful status, a link to another origin, a
    /// link to a page that has been fetched and too many pages are errors.
    ///
    /// - Parameters:
    ///   - options: The limits on following links.
    ///   - builder: A closure that builds the request for the first page. It is called before this method returns.
    /// - Returns: The pages. Reading them throws ``PaginationError``.
    public func pages(
        options: PaginationOptions = PaginationOptions(),
        _ builder: (inout HttpRequest) -> Void
    ) -> HttpPages {
        var request = request()
        builder(&request)
        return pages(request: request, options: options)
    }

    /// Returns a page and the pages that follow it; see ``pages(options:_:)``.
    public func pages(request: HttpRequest, options: PaginationOptions = PaginationOptions()) -> HttpPages {
        HttpPages(client: self, request: request, options: options)
    }
}

extension HttpPages {
    /// Returns the pages decoded from JSON.
    ///
    /// - Parameters:
    ///   - type: The type of a page.
    ///   - decoder: A closure that creates the decoder.
    public func decoded<Page: Decodable & Sendable>(
        as type: Page.Type,
        using decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> DecodedPages<Page> {
        DecodedPages(pages: self, decoder: decoder)
    }

    /// Returns the elements of all pages. Each page is a JSON array.
    ///
    /// ```swift
    /// for try await user in client.pages(request: request).elements(of: [User].self) { print(user.name) }
    /// ```
    public func elements<Page: Decodable & Sendable & Sequence>(
        of type: Page.Type,
        using decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> PagedElements<Page, Page> {
        decoded(as: type, using: decoder).elements { $0 }
    }
}

extension DecodedPages {
    /// Returns the elements of all pages.
    ///
    /// ```swift
    /// let users = pages.decoded(as: UserPage.self).elements { page in page.users }
    /// ```
    ///
    /// - Parameter elements: A closure that returns the elements of a page.
    public func elements<Elements: Sequence>(
        _ elements: @escaping @Sendable (Page) -> Elements
    ) -> PagedElements<Page, Elements> {
        PagedElements(pages: self, elements: elements)
    }
}
