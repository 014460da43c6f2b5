import Foundation
import SallyportTransport

/// An error of a stream of server-sent events, with the id of the event after which another stream can continue.
public struct EventStreamError: Error, Sendable {
    /// The reason of an error.
    public enum Reason: Sendable {
        /// The call failed finally or too often.
        case network(NetworkError)
        /// The status of the response was not 200. The response contains its body if the body is short.
        case status(HttpResponse)
        /// The response is not an event stream. It contains its body if the body is short.
        case contentType(HttpResponse)
        /// A line or an event exceeds its limit, which the text states.
        case tooLarge(String)
    }

    /// The reason of the error.
    public var reason: Reason

    /// The id of the last event whose id is valid in a header. Another stream can continue after it; see
    /// ``EventStreamOptions/lastEventId``.
    public var lastEventId: String?

    /// The method and URL of the call, without the URL's query.
    public var request: String

    /// Creates an error.
    public init(_ reason: Reason, request: String, lastEventId: String? = nil) {
        self.reason = reason
        self.request = request
        self.lastEventId = lastEventId
    }

    /// A Boolean value that indicates whether the stream ended because its task was cancelled.
    public var isCancellation: Bool {
        if case .network(.cancelled) = reason { return true }
        return false
    }
}

extension EventStreamError: CustomStringConvertible, LocalizedError {
    /// The request, the reason and advice in one line.
    public var description: String {
        switch reason {
        case .network(let error): error.naming(request).description
        case .status(let response):
            "\(request): the server answered \(response.statusSummary)\(advice(response))"
        case .contentType(let response): "\(request): \(Self.contentTypeProblem(response))"
        case .tooLarge(let problem): "\(request): \(problem)"
        }
    }

    /// The ``description``.
    public var errorDescription: String? { description }

    private func advice(_ response: HttpResponse) -> String {
        switch response.status.code {
        case 300..<400: "; \(SettingAdvice.allowRedirects.rawValue)"
        case 401, 403: "; the stream needs other credentials"
        default: " instead of 200"
        }
    }

    private static func contentTypeProblem(_ response: HttpResponse) -> String {
        let type = response.headers["Content-Type"]?.first.map { type in
            let masked = SecretMasker(sentBy: response.request).masked(type)
            return "the content type \(VisibleText.line(masked, longest: 100))"
        }
        return
            "the server answered with \(type ?? "no content type") instead of text/event-stream; is it the right URL?"
    }
}
