import PingInterceptorsCompatibility
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct MiddlewareInterceptorTests {
    private let request = Request(url: "https://am.example.com/authenticate", method: .POST)
    private let action = Action(type: "AUTHENTICATE", payload: ["tree": "Login"])

    private func adding(_ name: String) -> RequestMiddleware {
        { request, action, next in
            let tree = action.payload?["tree"] as? String ?? ""
            request = request.replacing(urlParams: request.urlParams.merging([name: tree]) { _, new in new })
            next(&request)
        }
    }

    @Test func `Middleware runs in order, and sees the changes of the next one`() {
        var names: [[String]] = []
        let observing: RequestMiddleware = { request, _, next in
            names.append(request.urlParams.keys.sorted())
            next(&request)
            names.append(request.urlParams.keys.sorted())
        }
        let changed = MiddlewareInterceptor(adding("a"), observing, adding("b"))
            .intercept(request: request, action: action)
        #expect(names == [["a"], ["a", "b"]])
        #expect(changed.urlParams == ["a": "Login", "b": "Login"])
    }

    @Test func `Middleware after one that does not call the next one does not run`() {
        let last: RequestMiddleware = { _, _, _ in }
        let changed = MiddlewareInterceptor(adding("a"), last, adding("b")).intercept(request: request, action: action)
        #expect(changed.urlParams == ["a": "Login"])
    }

    @Test func `Without middleware the request is unchanged`() {
        #expect(MiddlewareInterceptor().intercept(request: request, action: action).urlParams.isEmpty)
    }
}
