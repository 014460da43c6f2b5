import Foundation
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOEmbedded

@testable import SallyportGateway

/// Runs a test body against the gateway's router, without a network.
func withRouter(_ test: @Sendable (RouterClient) async throws -> Void) async throws {
    try await test(RouterClient(Router.gateway()))
}

/// Sends requests to a router, without a network. HummingbirdTesting would add AsyncHTTPClient and its libraries to the build.
struct RouterClient: Sendable {
    private let responder: RouterResponder<GatewayContext>

    init(_ router: Router<GatewayContext>) {
        responder = router.buildResponder()
    }

    /// Returns the response to a request. The router receives the body in pieces of 32 KiB.
    @discardableResult func execute(
        uri: String,
        method: HTTPRequest.Method,
        headers: HTTPFields = [:],
        body: ByteBuffer? = nil
    ) async throws -> TestResponse {
        var head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: uri, headerFields: headers)
        if let body { head.headerFields[.contentLength] = "\(body.readableBytes)" }
        let pieces = AsyncStream<ByteBuffer> { continuation in
            var body = body ?? ByteBuffer()
            while let piece = body.readSlice(length: min(body.readableBytes, 32 << 10)), piece.readableBytes > 0 {
                continuation.yield(piece)
            }
            continuation.finish()
        }
        let request = Request(head: head, body: RequestBody(asyncSequence: pieces))
        let source = ApplicationRequestContextSource(
            channel: NIOAsyncTestingChannel(),
            logger: GatewayConfiguration().logger
        )
        // An error that no middleware has handled is a 500, as in an application.
        let answer = try? await responder.respond(to: request, context: GatewayContext(source: source))
        let response = answer ?? Response(status: .internalServerError)
        let recorder = BodyRecorder()
        try await response.body.write(recorder)
        return recorder.received.withLockedValue {
            TestResponse(head: response.head, body: $0.body, trailerHeaders: $0.trailers)
        }
    }
}

private struct BodyRecorder: ResponseBodyWriter {
    let received = NIOLockedValueBox((body: ByteBuffer(), trailers: HTTPFields?.none))

    func write(_ buffer: ByteBuffer) async throws {
        received.withLockedValue { _ = $0.body.writeImmutableBuffer(buffer) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {
        received.withLockedValue { $0.trailers = trailingHeaders }
    }
}

/// A complete response of a router.
struct TestResponse: Sendable {
    let head: HTTPResponse
    let body: ByteBuffer
    let trailerHeaders: HTTPFields?

    var status: HTTPResponse.Status { head.status }
    var headers: HTTPFields { head.headerFields }

    /// The body as text.
    var text: String { String(buffer: body) }

    /// The body as a JSON value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }
}

/// The body of an error response.
struct ErrorAnswer: Decodable, Equatable {
    let status: Int
    let error: String
    let message: String
}
