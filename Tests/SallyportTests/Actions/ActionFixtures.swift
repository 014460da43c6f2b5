import ClientTestSupport
import Sallyport

/// An interceptor of requests with an action that runs a closure.
struct Intercepting: ActionInterceptor {
    let change: @Sendable (inout HttpRequest, Action) async throws -> Void

    func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest {
        var request = request
        try await change(&request, action)
        return request
    }
}

/// Returns a request that the SDK could send itself.
func startAuthenticate(
    _ url: String = "https://am.example.com/authenticate",
    _ build: (inout HttpRequest) -> Void = { _ in }
) -> HttpRequest {
    makeRequest(url) { request in
        request.action = Action("START_AUTHENTICATE", payload: ["tree": "Login", "type": "service"])
        build(&request)
    }
}
