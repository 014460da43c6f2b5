import Hummingbird
import NIOCore
import Sallyport
import SallyportStorage

/// Limits the number and the total size of request bodies that are held in memory at the same time.
@available(macOS 14, iOS 17, tvOS 17, *)
final class BodyMemory: Sendable {
    private struct Usage: Sendable {
        var bodies = 0
        var bytes = 0
    }

    private let maximumBodies: Int
    private let maximumBytes: Int
    private let usage = Locked(Usage())

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - bodies: The maximum number of bodies in memory.
    ///   - bytes: The maximum total size of these bodies, in bytes.
    init(bodies: Int, bytes: Int) {
        maximumBodies = bodies
        maximumBytes = bytes
    }

    /// Collects a request's body in memory, passes it to a closure, and releases the memory when the closure returns.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The maximum size of the body in bytes.
    ///   - use: A closure that uses the body.
    /// - Throws: `NIOTooManyBytesError` for a body above the limit, `HTTPError` with status 503 if there is no memory
    ///   for the body at the moment or 400 if the body ended early, and the errors of the closure.
    func withBody<Result>(
        of request: Request,
        upTo limit: Int,
        _ use: (ByteBuffer) async throws -> Result
    ) async throws -> Result {
        var content = ByteBuffer()
        try usage.withLock { usage in
            guard usage.bodies < maximumBodies else { throw Self.outOfMemory }
            usage.bodies += 1
        }
        defer {
            usage.withLock { usage in
                usage.bodies -= 1
                usage.bytes -= content.readableBytes
            }
        }
        if let length = request.contentLength, length > limit { throw NIOTooManyBytesError(maxBytes: limit) }
        for try await var chunk in request.body {
            let count = chunk.readableBytes
            guard content.readableBytes + count <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
            try usage.withLock { usage in
                guard usage.bytes + count <= maximumBytes else { throw Self.outOfMemory }
                usage.bytes += count
            }
            content.writeBuffer(&chunk)
        }
        try request.checkComplete(content.readableBytes)
        return try await use(content)
    }

    private static var outOfMemory: HTTPError {
        HTTPError(
            .serviceUnavailable,
            headers: [.retryAfter: "1"],
            message: "The memory for request bodies is used up. Try again later."
        )
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Request {
    /// The announced length of the body, or `nil`.
    var contentLength: Int? { headers[.contentLength].flatMap { Int($0) } }

    /// Throws an error if the body is shorter than announced. Hummingbird ends a body when the connection or task ends.
    func checkComplete(_ count: Int) throws {
        try Task.checkCancellation()
        if let length = contentLength, count < length {
            throw HTTPError(.badRequest, message: "The body ended after \(count) of \(length) bytes.")
        }
    }
}
