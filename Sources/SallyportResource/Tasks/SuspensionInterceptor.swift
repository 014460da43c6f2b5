import Foundation
import HTTPTypes
import Sallyport

/// Delays the request of a ``NetworkTask`` that is suspended, before each attempt, and stops reading its response while it is suspended.
///
/// Requests of the SDK itself, such as the refresh of a token that other calls wait for, are not delayed.
struct SuspensionInterceptor: Interceptor {
    var traceName: String { "suspension" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard let task = NetworkTask.current, request.action == nil else { return try await next(request) }
        try await task.waitWhileSuspended()
        var response = try await next(request)
        if response.body == nil {
            let body = response.bodyStream
            response.bodyStream = ResponseBody(
                length: body.length,
                isDecoded: body.isDecoded,
                source: SuspendedBody(body: body, task: task)
            )
        }
        return response
    }
}

/// Delays a request if its task was suspended after the request had passed the ``SuspensionInterceptor``, and removes its total timeout.
///
/// A transport cannot pause the total while a task is suspended. ``ResourceCore`` limits the duration of the call instead.
struct DispatchInterceptor: Interceptor {
    var traceName: String { "dispatch" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard request.action == nil else { return try await next(request) }
        try await NetworkTask.current?.waitWhileSuspended()
        var request = request
        request.timeouts?.total = nil
        return try await next(request)
    }
}

/// The body of a response, which is not read while a task is suspended.
private struct SuspendedBody: ResponseBodySource {
    let body: ResponseBody
    let task: NetworkTask

    var trailers: HTTPFields { body.trailers }

    func read() async throws(NetworkError) -> Data? {
        do {
            try await task.waitWhileSuspended()
            var chunks = body.makeAsyncIterator()
            return try await chunks.next()
        } catch {
            throw NetworkError(wrapping: error, reason: "the body cannot be read")
        }
    }

    func cancel() { body.cancel() }
}
