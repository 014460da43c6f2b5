import Foundation
import SallyportTransport

/// Follows redirects, each through all the stages that come after this one.
struct RedirectInterceptor: Interceptor {
    let limit: Int

    var traceName: String { "redirects" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        // What the SDK itself sends holds secrets that are for one place, or asks for the redirect.
        if request.action != nil { return try await next(request) }
        var request = request
        var sent: Set<SentRequest> = []
        while true {
            let response = try await next(request)
            guard let following = try Redirect(response)?.request(after: request) else { return response }
            if sent.count >= limit { throw tooMany("the server redirected more than \(limit) times", response) }
            if !sent.insert(SentRequest(response.request)).inserted {
                throw tooMany("the redirects go in a circle", response)
            }
            await response.discard()
            request = following
        }
    }

    private func tooMany(_ reason: String, _ response: HttpResponse) -> NetworkError {
        let advice = SettingAdvice.raiseRedirects.rawValue
        return .tooManyRedirects(NetworkFailure(reason, request: response.request.description, advice: advice))
    }
}

/// What makes two requests the same to a server.
private struct SentRequest: Hashable {
    let method: HttpMethod
    let url: String?
    let cookies: String?

    init(_ request: HttpRequest) {
        method = request.getMethod()
        url = request.url
        cookies = request.getHeader(name: NetworkConstants.headerCookie)
    }
}
