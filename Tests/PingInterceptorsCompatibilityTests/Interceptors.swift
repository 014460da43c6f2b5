import Foundation
import PingInterceptorsCompatibility
import TestSupport

// The other files import Sallyport, which has types of the same names.

/// Adds the type of the action to the query, to a header and to the body parameters, if there are any.
class MarkingInterceptor: RequestInterceptor {
    func intercept(request: Request, action: Action) -> Request {
        request.replacing(
            headers: request.headers.merging(["X-Action": action.type]) { _, new in new },
            bodyParams: request.bodyParams.isEmpty
                ? [:] : request.bodyParams.merging(["marked": action.type]) { _, new in new },
            urlParams: request.urlParams.merging(["marked": action.type]) { _, new in new }
        )
    }
}

/// Adds its name, and the tree of the action's payload, to a header.
class NamedInterceptor: RequestInterceptor {
    let name: String

    init(_ name: String) {
        self.name = name
    }

    func intercept(request: Request, action: Action) -> Request {
        let names = [request.headers["X-Names"], name, action.payload?["tree"] as? String].compactMap { $0 }
        return request.replacing(
            headers: request.headers.merging(["X-Names": names.joined(separator: ",")]) { _, new in new }
        )
    }
}

/// Adds the values of the action's payload to a header, cast to their types.
class PayloadInterceptor: RequestInterceptor {
    func intercept(request: Request, action: Action) -> Request {
        guard let payload = action.payload, let tree = payload["tree"] as? String,
            let retries = payload["retries"] as? Int, let ratio = payload["ratio"] as? Double,
            let isFirst = payload["isFirst"] as? Bool, let users = payload["users"] as? [String],
            let step = payload["step"] as? [String: Any], let number = step["number"] as? Int,
            payload["none"] is NSNull
        else { return request }
        let names = "\(tree) \(retries) \(ratio) \(isFirst) \(users.joined()) \(number) null"
        return request.replacing(headers: request.headers.merging(["X-Names": names]) { _, new in new })
    }
}

/// Counts its calls, without a lock, and those that begin before another one has ended.
class CountingInterceptor: RequestInterceptor {
    private(set) var count = 0
    let overlaps = Watched(0)
    private let running = Watched(0)

    func intercept(request: Request, action: Action) -> Request {
        let isOverlapping = running.update { running in
            running += 1
            return running > 1
        }
        if isOverlapping { overlaps.update { $0 += 1 } }
        count += 1
        // Other threads get the chance to call the interceptor as well. On a busy machine, each yield can take milliseconds.
        for _ in 0..<3 { sched_yield() }
        running.update { $0 -= 1 }
        return request
    }
}

/// Waits for another thread that registers an interceptor.
class WaitingInterceptor: RequestInterceptor {
    func intercept(request: Request, action: Action) -> Request {
        let isRegistered = DispatchSemaphore(value: 0)
        DispatchQueue(label: "registering").async {
            register("later")
            isRegistered.signal()
        }
        let name = isRegistered.wait(timeout: .now() + 20) == .success ? "registered" : "blocked"
        return request.replacing(headers: request.headers.merging(["X-Names": name]) { _, new in new })
    }
}

/// Registers another interceptor instead of itself.
class ReplacingInterceptor: RequestInterceptor {
    func intercept(request: Request, action: Action) -> Request {
        register("replacement")
        return request
    }
}

func register(_ interceptor: any RequestInterceptor) {
    FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: [interceptor])
}

func register(_ names: String..., shouldOverride: Bool = true) {
    FRRequestInterceptorRegistry.shared.registerInterceptors(
        interceptors: names.map { NamedInterceptor($0) },
        shouldOverride: shouldOverride
    )
}

func registerNil() {
    FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: nil)
}

extension Request {
    /// Returns a request with other parts.
    func replacing(
        url: String? = nil,
        method: HTTPMethod? = nil,
        headers: [String: String]? = nil,
        bodyParams: [String: Any]? = nil,
        urlParams: [String: String]? = nil,
        requestType: ContentType? = nil,
        responseType: ContentType? = nil,
        timeoutInterval: Double? = nil
    ) -> Request {
        Request(
            url: url ?? self.url,
            method: method ?? self.method,
            headers: headers ?? self.headers,
            bodyParams: bodyParams ?? self.bodyParams,
            urlParams: urlParams ?? self.urlParams,
            requestType: requestType ?? self.requestType,
            responseType: responseType ?? self.responseType,
            timeoutInterval: timeoutInterval ?? self.timeoutInterval
        )
    }
}
