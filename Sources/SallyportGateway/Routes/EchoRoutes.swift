import Foundation
import Hummingbird
import NIOCore

/// Says back what it was sent.
@available(macOS 14, iOS 17, tvOS 17, *)
struct EchoRoutes: RouteGroup {
    let guide = [
        "/echo/**": "Any method: what was sent, as JSON. A body of at most 16 MiB; names of headers in lower case."
    ]

    private let bodies = BodyMemory(bodies: 1024, bytes: 128 << 20)

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/echo", use: echo)
        router.any("/echo/**", use: echo)
    }

    @Sendable private func echo(_ request: Request, _ context: GatewayContext) async throws -> Echo {
        try await bodies.collecting(request, upTo: 16 << 20) { body in Echo(request, body: body) }
    }
}

private struct Echo: ResponseEncodable {
    let method: String
    let target: String
    let query: [NamedValue]
    let headers: [String: [String]]
    let body: String
    /// `utf-8` when the body is text, else `base64`.
    let bodyEncoding: String
    let bodyLength: Int

    init(_ request: Request, body buffer: ByteBuffer) {
        method = request.method.rawValue
        target = request.head.path ?? ""
        query = request.queryItems
        // The server keeps Host apart from the other headers.
        var headers = request.head.authority.map { ["host": [$0]] } ?? [:]
        for field in request.headers {
            headers[field.name.canonicalName, default: []].append(field.value)
        }
        self.headers = headers
        let bytes = buffer.readableBytesView
        let text = String(decoding: bytes, as: UTF8.self)
        let isText = text.utf8.elementsEqual(bytes)
        body = isText ? text : Data(bytes).base64EncodedString()
        bodyEncoding = isText ? "utf-8" : "base64"
        bodyLength = bytes.count
    }
}
