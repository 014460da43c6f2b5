import Foundation
import HTTPTypes
import Sallyport
import SallyportStorage

extension HttpResponse {
    /// Returns the response, and calls a closure at the end of its body: immediately if the body is in memory, and otherwise when it has
    /// been read, has failed or was cancelled.
    func onEnd(_ end: @escaping @Sendable (NetworkError?) -> Void) -> HttpResponse {
        if body != nil {
            end(nil)
            return self
        }
        var response = self
        let stream = bodyStream
        response.bodyStream = ResponseBody(
            length: stream.length,
            isDecoded: stream.isDecoded,
            source: ObservedBody(stream, end)
        )
        return response
    }
}

/// A body that calls a closure once: when it ends, fails, is cancelled or is released.
private final class ObservedBody: ResponseBodySource {
    private let body: ResponseBody
    private let end: Locked<(@Sendable (NetworkError?) -> Void)?>

    init(_ body: ResponseBody, _ end: @escaping @Sendable (NetworkError?) -> Void) {
        self.body = body
        self.end = Locked(end)
    }

    deinit {
        finish(nil)
    }

    func read() async throws(NetworkError) -> Data? {
        var iterator = body.makeAsyncIterator()
        do {
            let chunk = try await iterator.next()
            if chunk == nil { finish(nil) }
            return chunk
        } catch {
            let error = NetworkError(wrapping: error, reason: "the body could not be read")
            finish(error)
            throw error
        }
    }

    var trailers: HTTPFields { body.trailers }

    func cancel() {
        finish(nil)
        body.cancel()
    }

    private func finish(_ error: NetworkError?) {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?(error)
    }
}
