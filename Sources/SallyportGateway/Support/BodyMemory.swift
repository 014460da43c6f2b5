import Hummingbird
import NIOCore
import Sallyport
import SallyportStorage

/// Limits the number and the total size of request bodies that are held in memory at the same time.
@available(macOS 14, iOS 17, tvOS 17, *)
final class BodyMemory: Sendable {
    private struct Use: Sendable {
        var bodies = 0
        var bytes = 0
    }

    private let mostBodies: Int
    private let mostBytes: Int
    private let use = Locked(Use())

    /// Creates the memory for the bodies of one kind.
    ///
    /// - Parameters:
    ///   - bodies: The maximum number of bodies at the same time.
    ///   - bytes: The maximum size of all of them together.
    init(bodies: Int, bytes: Int) {
        mostBodies = bodies
        mostBytes = bytes
    }

    /// Collects a request's body, and holds its memory until a closure returns.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The maximum size of the body in bytes.
    ///   - body: Uses the body.
    /// - Throws: `NIOTooManyBytesError` for a body above the limit, `HTTPError` with status 503 if there is no memory for the body at the
    ///   moment or 400 if the body ended early, and what the closure throws.
    func collecting<Result>(
        _ request: Request,
        upTo limit: Int,
        _ body: (ByteBuffer) async throws -> Result
    ) async throws -> Result {
        var content = ByteBuffer()
        try use.withLock { use in
            guard use.bodies < mostBodies else { throw Self.tooMuch }
            use.bodies += 1
        }
        defer {
            use.withLock { use in
                use.bodies -= 1
                use.bytes -= content.readableBytes
            }
        }
        if let length = request.contentLength, length > limit { throw NIOTooManyBytesError(maxBytes: limit) }
        for try await var chunk in request.body {
            let count = chunk.readableBytes
            guard content.readableBytes + count <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
            try use.withLock { use in
                guard use.bytes + count <= mostBytes else { throw Self.tooMuch }
                use.bytes += count
            }
            content.writeBuffer(&chunk)
        }
        try request.checkWhole(content.readableBytes)
        return try await body(content)
    }

    private static var tooMuch: HTTPError {
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
    func checkWhole(_ count: Int) throws {
        try Task.checkCancellation()
        if let length = contentLength, count < length {
            throw HTTPError(.badRequest, message: "The body ended after \(count) of \(length) bytes.")
        }
    }
}
