import Foundation
import SallyportTransport

/// Fetches pages in sequence.
package struct PageReader: Sendable {
    private let send: @Sendable (HttpRequest) async throws(NetworkError) -> HttpResponse
    private let options: PaginationOptions
    /// A Boolean value that indicates whether an unsuccessful status is an error. Otherwise it is returned as the last page.
    private let refusesFailures: Bool
    /// The request for the next page, or the reason why it cannot be fetched; `nil` after the last page.
    private var nextRequest: Result<HttpRequest, PaginationError>?
    private var fetched: Set<RequestTarget> = []
    package private(set) var page = 0
    package private(set) var url = ""

    package init(
        _ request: HttpRequest,
        _ options: PaginationOptions,
        refusesFailures: Bool = true,
        sendingWith send: @escaping @Sendable (HttpRequest) async throws(NetworkError) -> HttpResponse
    ) {
        self.refusesFailures = refusesFailures
        self.send = send
        nextRequest = .success(request)
        self.options = options
    }

    /// Returns the next page; `nil` after the last.
    package mutating func next() async throws(PaginationError) -> HttpResponse? {
        guard let request = try nextRequest.take()?.get() else { return nil }
        page += 1
        url = Redaction.shortUrl(request.url ?? "")
        let response = try await fetch(request)
        if !response.status.isSuccess() {
            if refusesFailures { throw failure(.status(response)) }
            return response
        }
        do throws(PaginationError) {
            nextRequest = try following(response, after: request).map { .success($0) }
        } catch {
            nextRequest = .failure(error)
        }
        return response
    }

    package func failure(_ reason: PaginationError.Reason) -> PaginationError {
        PaginationError(reason, page: page, url: url)
    }

    /// Ends the sequence.
    package mutating func end() { nextRequest = nil }

    private mutating func fetch(_ request: HttpRequest) async throws(PaginationError) -> HttpResponse {
        do throws(NetworkError) {
            fetched.insert(try RequestTarget(url: request.url, parameters: request.parameters))
            guard request.getMethod() == .get else {
                throw .invalidRequest(
                    NetworkFailure(
                        "pages are fetched with GET, not \(request.getMethod())",
                        request: request.description
                    )
                )
            }
            return try await send(request)
        } catch {
            throw failure(.network(error))
        }
    }

    /// Returns the request for the page that follows a page; `nil` if there is none.
    private func following(_ response: HttpResponse, after request: HttpRequest) throws(PaginationError) -> HttpRequest?
    {
        guard let link = response.link(options.relation) else { return nil }
        let source = try checked(response.request.url)
        let target = try checked(link)
        let shortURL = Redaction.shortUrl(target.url)
        if fetched.contains(target) { throw failure(.loop(shortURL)) }
        if page >= options.maximumPages { throw failure(.tooManyPages(limit: options.maximumPages)) }
        var next = request
        next.url = target.url
        next.parameters = []
        next.firstOrigin = response.request.firstOrigin ?? source.origin
        if source.origin != target.origin { try checkOrigin(of: target, after: source, shortURL) }
        // A redirect may have led to another origin, to which secrets were not sent.
        let requested = try checked(request.url)
        if [source.origin, requested.origin] != [target.origin, target.origin] { next.removeSecrets() }
        return next
    }

    private func checkOrigin(
        of target: RequestTarget,
        after source: RequestTarget,
        _ shortURL: String
    ) throws(PaginationError) {
        if source.scheme == "https", target.scheme == "http" {
            throw failure(.refusedLink("it leads from https to http, to \(shortURL); correct the URL at the server"))
        }
        if !options.allowsOtherOrigins {
            throw failure(.refusedLink("it leads to another origin, \(shortURL); allow it with allowsOtherOrigins"))
        }
    }

    private func checked(_ url: String?) throws(PaginationError) -> RequestTarget {
        do throws(NetworkError) {
            return try RequestTarget(url: url)
        } catch {
            throw failure(.refusedLink("it leads to an invalid URL: \(error.failure.reason)"))
        }
    }
}
