import Foundation
import SallyportTransport

/// Follows redirects, each through all later stages of the pipeline.
struct RedirectInterceptor: Interceptor {
    let limit: Int

    var traceName: String { "redirects" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        // A request of the SDK itself holds secrets that are meant for one place, or needs the redirect's response.
        if request.action != nil { return try await next(request) }
        var request = request
        var count = 0
        while true {
            let response = try await next(request)
            guard let following = try Redirect(response)?.request(after: request) else { return response }
            // A URL may appear again: sign-in pages redirect to themselves after setting a cookie.
            if count >= limit { throw tooManyRedirects(before: response) }
            count += 1
            await response.discard()
            request = following
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
