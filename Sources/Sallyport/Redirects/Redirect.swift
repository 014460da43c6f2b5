import Foundation
import HTTPTypes
import SallyportTransport

/// A redirect, and the changes that it makes to the request (RFC 9110, section 15.4).
package struct Redirect {
    private let status: HttpStatus
    private let source: RequestTarget
    private let destination: RequestTarget

    /// Creates the redirect of a response. Returns `nil` if the response is not a redirect that can be followed.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` if the target is not allowed.
    init?(_ response: HttpResponse) throws(NetworkError) {
        guard let location = Self.location(of: response), let url = response.request.url else { return nil }
        func refused(_ problem: String, advice: String? = nil) -> NetworkError {
            let request = response.request.description
            return .invalidResponse(NetworkFailure("the server redirects \(problem)", request: request, advice: advice))
        }
        status = response.status
        source = try RequestTarget(url: url)
        guard let text = RequestTarget.resolved(location, against: url) else {
            throw refused("to a URL that cannot be parsed")
        }
        guard ["http", "https"].contains(RequestTarget.scheme(of: text)) else { return nil }
        do throws(NetworkError) {
            destination = try RequestTarget(url: text)
        } catch {
            throw refused("to an invalid URL: \(error.failure.reason)")
        }
        if source.scheme == "https", destination.scheme == "http" {
            throw refused(
                "from https to http, to \(Redaction.shortUrl(text))",
                advice: SettingAdvice.refuseRedirects.rawValue
            )
        }
    }

    /// Returns `true` if a response is a redirect that is followed, or that fails the call.
    static func isRedirect(_ response: HttpResponse) -> Bool {
        do throws(NetworkError) { return try Redirect(response) != nil } catch { return true }
    }

    /// Returns the URL to which a response redirects its request; `nil` if it is not a redirect with a location.
    package static func target(of response: HttpResponse) -> String? {
        guard let location = Self.location(of: response), let url = response.request.url else { return nil }
        return RequestTarget.resolved(location, against: url)
    }

    private static func location(of response: HttpResponse) -> String? {
        guard [301, 302, 303, 307, 308].contains(response.status.code) else { return nil }
        // An empty reference would repeat the request.
        return response.headers[NetworkConstants.headerLocation]?.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the request to send next.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if its body must be sent again but can be sent only once.
    func request(after request: HttpRequest) throws(NetworkError) -> HttpRequest {
        var next = request
        next.url = destination.url
        next.urlTemplate = nil
        next.parameters = []
        next.cookieOrigin = nil
        next.firstOrigin = request.firstOrigin ?? source.origin
        next.detachSecrets()
        if becomesGet(request.getMethod()) {
            next.setMethod(.get)
            next.body = .none
            next.trailers = nil
            next.expectsContinue = false
            next.fields = next.fields.filter { !$0.describesBody }
        } else if !request.body.isReplayable {
            throw .invalidRequest(
                NetworkFailure(
                    "the server redirected the request, whose body can be sent only once",
                    advice:
                        "send it to \(Redaction.shortUrl(destination.url)), or \(SettingAdvice.replayableRedirect.rawValue)"
                )
            )
        }
        if source.origin != destination.origin {
            next.removeSecrets()
            next.setLastEventId(for: destination)
        }
        return next
    }

    private func becomesGet(_ method: HttpMethod) -> Bool {
        switch status.code {
        case 301, 302: method == .post
        case 303: method != .head
        default: false
        }
    }
}
