import Hummingbird

/// Removes the body of responses to HEAD requests, and preserves its length.
///
/// A body of unknown length is measured. Without a length, NIO would send an empty chunk, which clients do not expect.
@available(macOS 14, iOS 17, tvOS 17, *)
struct HeadMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: GatewayContext,
        next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        guard request.method == .head else { return response }
        var headers = response.headers
        if !headers.contains(.contentLength) {
            let counter = BodyByteCounter()
            try await response.body.write(counter)
            headers[.contentLength] = "\(counter.count)"
        }
        headers[.trailer] = nil
        return Response(status: response.status, headers: headers)
    }
}

/// Counts the bytes of a body instead of sending them.
private final class BodyByteCounter: ResponseBodyWriter {
    private(set) var count = 0

    func write(_ buffer: ByteBuffer) async throws {
        count += buffer.readableBytes
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
