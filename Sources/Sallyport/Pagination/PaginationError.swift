import Foundation
import SallyportTransport

/// An error while fetching pages, and the page on which it occurred.
public struct PaginationError: Error, Sendable {
    /// The reason for the error.
    public enum Reason: Sendable {
        /// The page could not be fetched or decoded.
        case network(NetworkError)
        /// The server responded with an unsuccessful status. The response includes its body.
        case status(HttpResponse)
        /// The endpoint of a service cannot be called, or the page cannot be decoded. The error is the service's
        /// `NetworkServiceError`, which includes the response.
        case service(any Error)
        /// The page links to a URL that is not allowed. The text states the URL and the reason.
        case refusedLink(String)
        /// The page links to a page that has been fetched before.
        case loop(String)
        /// There are more pages than the limit.
        case tooManyPages(limit: Int)
    }

    /// The reason for the error.
    public var reason: Reason

    /// The number of the page. The first is 1. If the error is about a link, the page that contains it has been returned.
    public var page: Int

    /// The URL of that page, without its query.
    public var url: String

    /// Creates an error.
    public init(_ reason: Reason, page: Int, url: String) {
        self.reason = reason
        self.page = page
        self.url = url
    }
}

extension PaginationError: CustomStringConvertible, LocalizedError {
    /// The page, the reason and what to do, in one line.
    public var description: String { "page \(page), \(url): \(problem)" }

    /// The same text as ``description``.
    public var errorDescription: String? { description }

    private var problem: String {
        switch reason {
        case .network(let error): error.description
        case .service(let error): "\(error)"
        case .status(let response): "the server answered \(response.statusSummary)"
        case .refusedLink(let problem): problem
        case .loop(let url): "it leads to \(url), which has been fetched already"
        case .tooManyPages(let limit): "there are more than \(limit) pages; raise maximumPages if that is right"
        }
    }
}

/// Limits on following links to further pages.
public struct PaginationOptions: Sendable, Hashable {
    /// The maximum number of pages. The default is 1000. A link to another page after that is an error.
    public var maximumPages = 1000

    /// A Boolean value that indicates whether pages may link to another origin (scheme, host or port). The default is `false`.
    ///
    /// As in a redirect, secrets of the request are not sent to another origin. Credentials of the client are sent only to their
    /// origins. Links from `https` to `http` are always refused.
    public var allowsOtherOrigins = false

    /// The relation of the link to follow. The default is `next`.
    public var relation = "next"

    /// Creates options with the default values.
    public init() {}
}
