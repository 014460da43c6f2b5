import PingInterceptorsCompatibility
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct SeedDeclarationsTests {
    /// An interceptor that conforms to the seed's declaration of the protocol, and calls an interceptor of the module.
    private struct Calling: SeedDeclarations.RequestInterceptor {
        let interceptor: any RequestInterceptor

        func intercept(request: Request, action: SeedDeclarations.Action) -> Request {
            interceptor.intercept(request: request, action: Action(type: action.type, payload: action.payload))
        }
    }

    /// Puts the payload of the action into the parameters of the URL.
    private class PayloadInterceptor: RequestInterceptor {
        func intercept(request: Request, action: Action) -> Request {
            let tree = action.payload?["tree"] as? String
            let attempt = action.payload?["attempt"] as? Int
            return request.replacing(urlParams: ["tree": tree ?? "none", "attempt": "\(attempt ?? 0)"])
        }
    }

    private let request = Request(url: "https://am.example.com/authenticate", method: .POST)

    @Test func `Interceptors and actions have the types that the seed declares`() {
        let payload: [String: Any] = ["tree": "Login", "attempt": 2]
        let calling = Calling(interceptor: PayloadInterceptor())
        let changed = calling.intercept(request: request, action: .init(type: "AUTHENTICATE", payload: payload))
        #expect(changed.urlParams == ["tree": "Login", "attempt": "2"])
        let without = calling.intercept(request: request, action: .init(type: "LOGOUT", payload: nil))
        #expect(without.urlParams == ["tree": "none", "attempt": "0"])
    }

    @Test func `The first sample tests the type of the action`() {
        let calling = Calling(interceptor: QueryParamsAndHeaderRequestInterceptor())
        for (type, isChanged) in [("START_AUTHENTICATE", true), ("AUTHENTICATE", true), ("LOGOUT", false)] {
            let changed = calling.intercept(request: request, action: .init(type: type, payload: nil))
            #expect(changed.urlParams == (isChanged ? ["ForceAuth": "true"] : [:]))
        }
    }
}
