import Foundation
import SallyportTransport

/// Why pages could not be followed to their end, and on which of them.
public struct PaginationError: Error, Sendable {
    /// What went wrong.
    public enum Reason: Sendable {
        /// The page could not be fetched, or read; the error says how far it got.
        case network(NetworkError)
        /// The server answered with a status that is no success. The response holds its body.
        case status(HttpResponse)
        /// The endpoint cannot be called, or the page is not its answer; the error says why, and holds the response.
        case service(NetworkServiceError)
        /// The page leads where no request may go; the text says where, and why not.
        case refusedLink(String)
        /// The page leads to one that has been fetched already.
        case loop(String)
        /// There are more pages than are accepted.
        case tooManyPages(limit: Int)
    }

    /// What went wrong.
    public var reason: Reason

    /// On which page; the first is 1. Where it is about a link, the page that has it has been given out.
    public var page: Int

    /// The URL of that page, without its query.
    public var url: String

    /// Makes an error.
    public init(_ reason: Reason, page: Int, url: String) {
        self.reason = reason
        self.page = page
        self.url = url
    }
}

extension PaginationError: CustomStringConvertible, LocalizedError {
    /// On which page, what went wrong, and what to do, in one line.
    public var description: String { "page \(page), \(url): \(problem)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    private var problem: String {
        switch reason {
        case .network(let error): error.description
        case .service(let error): error.description
        case .status(let response): "the server answered \(response.status.words)"
        case .refusedLink(let problem): problem
        case .loop(let url): "it leads to \(url), which has been fetched already"
        case .tooManyPages(let limit): "there are more than \(limit) pages; raise maximumPages if that is right"
        }
    }
}
