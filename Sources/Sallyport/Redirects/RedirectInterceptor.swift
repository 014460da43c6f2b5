import Foundation
import SallyportTransport

/// The handling of redirects by a client.
public enum RedirectPolicy: Sendable, Hashable {
    /// Returns the 3xx response. This is the default, as a redirect may lead to an unexpected server.
    case refuse

    /// Follows redirects, up to a maximum number for each call (RFC 9110, section 15.4).
    ///
    /// - 301 and 302 turn a POST into a GET, 303 every method but HEAD; 307 and 308 preserve method and body.
    /// - A request to another origin (scheme, host or port) is sent without `Authorization`, `Proxy-Authorization`, cookies set on
    ///   the request, sensitive headers, and `Last-Event-ID`.
    ///   The certificate of ``TransportSecurity/clientIdentity`` is not presented to it.
    /// - The interceptors of ``HttpClientConfiguration/authentication`` run again for each request.
    /// - A redirect from `https` to `http` fails with ``NetworkError/invalidResponse(_:)``.
    /// - A redirect to another scheme, such as an app's, or with an empty `Location` is not followed: the call returns the 3xx
    ///   response.
    /// - The same URL may appear again. More redirects than the limit fail with ``NetworkError/tooManyRedirects(_:)``.
    case follow(limit: Int)
}

/// Follows redirects, each through all later stages of the pipeline.
struct RedirectInterceptor: Interceptor {
    let limit: Int

    var traceName: String { "redirects" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        // The SDK's own requests contain secrets for one server, or need the response with the redirect.
        if request.action != nil { return try await next(request) }
        let next = next.discarding(Redirect.isRedirect)
        var request = request
        var count = 0
        while true {
            let response = try await next(request)
            guard let following = try Self.request(after: request, response) else { return response }
            // A URL may appear again: sign-in pages redirect to themselves after setting a cookie.
            if count >= limit { throw tooManyRedirects(before: response) }
            count += 1
            await response.discard()
            request = following
        }
    }

    /// Returns the request to send next; `nil` if the response is not a redirect that can be followed.
    private static func request(after request: HttpRequest, _ response: HttpResponse) throws(NetworkError)
        -> HttpRequest?
    {
        do throws(NetworkError) {
            return try Redirect(response)?.request(after: request)
        } catch {
            // The error quotes the location. The server may repeat a secret in it.
            throw error.masking(secretsOf: response.request)
        }
    }

    private func tooManyRedirects(before response: HttpResponse) -> NetworkError {
        .tooManyRedirects(
            NetworkFailure(
                "the server redirected more than \(limit) times",
                request: response.request.description,
                advice: SettingAdvice.raiseRedirects.rawValue
            )
        )
    }
}
