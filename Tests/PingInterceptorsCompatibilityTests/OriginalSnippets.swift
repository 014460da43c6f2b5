import Foundation
import PingInterceptorsCompatibility
import class Sallyport.HttpClient

// The Swift blocks of Docs/Guides.docc/Migrating-Request-Interceptors.md that use the types of the Ping SDK for iOS.

private enum Originals {
    final class LanguageInterceptor: RequestInterceptor {
        func intercept(request: Request, action: Action) -> Request {
            guard action.type == "START_AUTHENTICATE" else { return request }
            var urlParams = request.urlParams
            urlParams["ForceAuth"] = "true"
            var headers = request.headers
            headers["Accept-Language"] = "en-GB"
            return Request(
                url: request.url,
                method: request.method,
                headers: headers,
                bodyParams: request.bodyParams,
                urlParams: urlParams,
                requestType: request.requestType,
                responseType: request.responseType,
                timeoutInterval: request.timeoutInterval
            )
        }
    }

    static func register() -> HttpClient {
        FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: [LanguageInterceptor()])
        let client = HttpClient.createClient { config in config.addRegisteredInterceptors() }
        return client
    }

    final class GoldInterceptor: RequestInterceptor {
        func intercept(request: Request, action: Action) -> Request {
            var headers = request.headers
            headers["Cookie"] = "member=gold"
            return Request(
                url: request.url,
                method: request.method,
                headers: headers,
                bodyParams: request.bodyParams,
                urlParams: request.urlParams,
                requestType: request.requestType,
                responseType: request.responseType,
                timeoutInterval: request.timeoutInterval
            )
        }
    }

    final class Counter: RequestInterceptor, @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0

        var total: Int { lock.withLock { count } }

        func intercept(request: Request, action: Action) -> Request {
            lock.withLock { count += 1 }
            return request
        }
    }
}
