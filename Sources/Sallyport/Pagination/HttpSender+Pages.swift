import Foundation
import SallyportTransport

extension HttpSender {
    /// Fetches a page, and those that follow it by its `Link` header with the relation `next` (RFC 8288).
    ///
    /// ```swift
    /// let pages = client.pages { request in request.url = "https://api.example.com/users?per_page=100" }
    /// for try await page in pages { print(page.bodyAsString()) }
    /// ```
    ///
    /// Each page is fetched when it is asked for, with the same request but for its URL. A status that is no success, a
    /// link to another origin, a link to a page fetched already and too many pages are errors.
    ///
    /// - Parameters:
    ///   - options: How far they are followed.
    ///   - builder: Builds the request for the first page, at once.
    /// - Returns: The pages. Reading them throws ``PaginationError``.
    public func pages(
        options: PaginationOptions = PaginationOptions(),
        _ builder: (inout HttpRequest) -> Void
    ) -> HttpPages {
        var request = request()
        builder(&request)
        return pages(request: request, options: options)
    }

    /// Fetches a page and those that follow it; see ``pages(options:_:)``.
    public func pages(request: HttpRequest, options: PaginationOptions = PaginationOptions()) -> HttpPages {
        HttpPages(client: self, request: request, options: options)
    }
}

extension HttpPages {
    /// The pages read as JSON.
    ///
    /// - Parameters:
    ///   - type: What a page is.
    ///   - decoder: Makes what reads them; the default unless given.
    public func decoded<Page: Decodable & Sendable>(
        as type: Page.Type,
        using decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> DecodedPages<Page> {
        DecodedPages(pages: self, decoder: decoder)
    }

    /// The elements of all pages, where each page is a JSON array of them.
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
    /// The elements of all pages.
    ///
    /// ```swift
    /// let users = pages.decoded(as: UserPage.self).elements { page in page.users }
    /// ```
    ///
    /// - Parameter elements: Gives those of a page.
    public func elements<Elements: Sequence>(
        _ elements: @escaping @Sendable (Page) -> Elements
    ) -> PagedElements<Page, Elements> {
        PagedElements(pages: self, elements: elements)
    }
}
