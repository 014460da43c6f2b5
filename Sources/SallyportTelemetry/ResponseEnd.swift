import Foundation
import HTTPTypes
import Sallyport
import SallyportStorage

extension HttpResponse {
    /// Returns the response, and calls a closure at the end of its body: immediately if the body is in memory, and otherwise when it has
    /// been read, has failed or was cancelled.
    ///
    /// - Parameter end: A closure that receives the error of the body, and the number of its bytes. The number is `nil` unless the body
    ///   was received completely, and if the transport has decoded it.
    func onEnd(_ end: @escaping @Sendable (NetworkError?, Int64?) -> Void) -> HttpResponse {
        let stream = bodyStream
        if let body {
            end(nil, stream.isDecoded || isCut ? nil : Int64(body.count))
            return self
        }
        var response = self
        response.bodyStream = ResponseBody(
            length: stream.length,
            isDecoded: stream.isDecoded,
            encoded: stream.encoded,
            source: ObservedBody(stream, end)
        )
        return response
    }
}

/// A body that calls a closure once: when it ends, fails, is cancelled or is released.
private final class ObservedBody: ResponseBodySource {
    private typealias End = @Sendable (NetworkError?, Int64?) -> Void

    private let body: ResponseBody
    private let state: Locked<(end: End?, count: Int64)>

    init(_ body: ResponseBody, _ end: @escaping @Sendable (NetworkError?, Int64?) -> Void) {
        self.body = body
        state = Locked((end, 0))
    }

    deinit {
        finish(nil)
    }

    func read() async throws(NetworkError) -> Data? {
        var iterator = body.makeAsyncIterator()
        do {
            let chunk = try await iterator.next()
            if let chunk { state.withLock { $0.count += Int64(chunk.count) } } else { finish(nil, isComplete: true) }
            return chunk
        } catch {
            let error = NetworkError(wrapping: error, reason: "the body could not be read")
            finish(error)
            throw error
        }
    }

    var isReceived: Bool { body.source.isReceived }

    var trailers: HTTPFields { body.trailers }

    func cancel() {
        finish(nil)
        body.cancel()
    }

    private func finish(_ error: NetworkError?, isComplete: Bool = false) {
        let (end, count) = state.withLock { state in
            defer { state.end = nil }
            return state
        }
        end?(error, isComplete && !body.isDecoded ? count : nil)
    }
}
