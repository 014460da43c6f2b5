import Hummingbird

/// Answers HEAD as GET would, with the length of the body but without the body.
///
/// A body of unknown length is counted: NIO would otherwise end the answer with an empty chunk that nobody reads.
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

/// Counts a body instead of sending it.
private final class BodyByteCounter: ResponseBodyWriter {
    private(set) var count = 0

    func write(_ buffer: ByteBuffer) async throws {
        count += buffer.readableBytes
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
