import Foundation
import SallyportTransport

/// Why a stream of server-sent events failed, and from where it can go on.
public struct EventStreamError: Error, Sendable {
    /// What went wrong.
    public enum Reason: Sendable {
        /// The call failed, for good or too often; the error says how far it got.
        case network(NetworkError)
        /// The server answered with another status than 200. The response holds its body, as far as it is short.
        case status(HttpResponse)
        /// What the server answered is not an event stream. The response holds its body, as far as it is short.
        case contentType(HttpResponse)
        /// A line or an event is larger than is accepted; the text says which, and the limit.
        case tooLarge(String)
    }

    /// What went wrong.
    public var reason: Reason

    /// The id of the last event, or of the last whose id a header can hold, from which a later stream can go on; see
    /// ``EventStreamOptions/lastEventId``.
    public var lastEventId: String?

    /// The method and URL of the call, without the URL's query.
    public var request: String

    /// Makes an error.
    public init(_ reason: Reason, request: String, lastEventId: String? = nil) {
        self.reason = reason
        self.request = request
        self.lastEventId = lastEventId
    }

    /// Whether it ended by a cancellation.
    public var isCancellation: Bool {
        if case .network(.cancelled) = reason { return true }
        return false
    }
}

extension EventStreamError: CustomStringConvertible, LocalizedError {
    /// What was asked, what went wrong, and what to do, in one line.
    public var description: String {
        switch reason {
        case .network(let error): error.naming(request).description
        case .status(let response):
            "\(request): the server answered \(response.status.words)\(advice(response))"
        case .contentType(let response): "\(request): \(Self.contentTypeProblem(response))"
        case .tooLarge(let problem): "\(request): \(problem)"
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    private func advice(_ response: HttpResponse) -> String {
        switch response.status.code {
        case 300..<400: "; \(SettingAdvice.allowRedirects.rawValue)"
        case 401, 403: "; the stream needs other credentials"
        default: " instead of 200"
        }
    }

    private static func contentTypeProblem(_ response: HttpResponse) -> String {
        let type = response.headers["Content-Type"]?.first.map {
            "the content type \(VisibleText.line(String($0.prefix(100))))"
        }
        return
            "the server answered with \(type ?? "no content type") instead of text/event-stream; is it the right URL?"
    }
}
