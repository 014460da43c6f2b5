// The samples are unchanged.
// swift-format-ignore-file

import PingInterceptorsCompatibility

// Seed 001, lines 47-54, as types of an app

enum SeedDeclarations {
public protocol RequestInterceptor {
    func intercept(request: Request, action: Action) -> Request
}

public struct Action {
    public let type: String
    public let payload: [String: Any]?
}
}

// Seed 001, lines 276-304

class QueryParamsAndHeaderRequestInterceptor: RequestInterceptor {
    func intercept(request: Request, action: Action) -> Request {
        if action.type == "START_AUTHENTICATE" || action.type == "AUTHENTICATE" {
            // Add query parameter:
            var urlParams = request.urlParams
            urlParams["ForceAuth"] = "true"

            // Add additional header:
            var headers = request.headers
            headers["Accept-Language"] = "en-GB"

            // Construct the updated request:
            let newRequest = Request(
                url: request.url,
                method: request.method,
                headers: headers,
                bodyParams: request.bodyParams,
                urlParams: urlParams,
                requestType: request.requestType,
                responseType: request.responseType,
                timeoutInterval: request.timeoutInterval
            )
            return newRequest
        }
        else {
            return request
        }
    }
}

// Seed 001, lines 308-312

func registerOne() {
    FRRequestInterceptorRegistry.shared.registerInterceptors(
        interceptors: [
            QueryParamsAndHeaderRequestInterceptor()
        ]
    )
}

// Seed 001, lines 320-342

class CookieInterceptor: RequestInterceptor {
    func intercept(request: Request, action: Action) -> Request {
        if action.type == "START_AUTHENTICATE" || action.type == "AUTHENTICATE" {

            var headers = request.headers
            headers["Cookie"] = "member=gold; level=2"

            let newRequest = Request(
                url: request.url,
                method: request.method,
                headers: headers,
                bodyParams: request.bodyParams,
                urlParams: request.urlParams,
                requestType: request.requestType,
                responseType: request.responseType,
                timeoutInterval: request.timeoutInterval)
            return newRequest
        }
        else {
            return request
        }
    }
}

// Seed 001, lines 346-351

func registerTwo() {
    FRRequestInterceptorRegistry.shared.registerInterceptor(
        interceptors: [
            QueryParamsAndHeaderRequestInterceptor(),
            CookieInterceptor()
        ]
    )
}
