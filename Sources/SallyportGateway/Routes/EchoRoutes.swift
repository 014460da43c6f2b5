import Foundation
import Hummingbird
import NIOCore
import SallyportJOSE

/// Returns each request in JSON.
@available(macOS 14, iOS 17, tvOS 17, *)
struct EchoRoutes: RouteGroup {
    private let bodies = BodyMemory(bodies: 1024, bytes: 128 << 20)
    let routeDescriptions = [
        "/echo/**": "Any method: the request in JSON, with header names in lower case and a body of at most 16 MiB."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/echo", use: echo)
        router.any("/echo/**", use: echo)
    }

    @Sendable private func echo(_ request: Request, _ context: GatewayContext) async throws -> Echo {
        try await .of(request, in: bodies)
    }
}

/// A request in JSON.
@available(macOS 14, iOS 17, tvOS 17, *)
struct Echo: ResponseEncodable {
    let method: String
    let target: String
    let query: [NamedValue]
    let headers: [String: [String]]
    let body: String
    /// `utf-8` if the body is text, otherwise `base64`.
    let bodyEncoding: String
    let bodyLength: Int
    /// The claims of the request's access token, if it needed one.
    let token: [String: JsonValue]?

    /// Returns the description of a request.
    ///
    /// - Parameters:
    ///   - request: The request. Its body may have at most 16 MiB.
    ///   - token: The claims of its access token, if it needed one.
    ///   - bodies: The memory for its body.
    /// - Throws: The errors of ``BodyMemory/withBody(of:upTo:_:)``.
    static func of(
        _ request: Request,
        token: [String: JsonValue]? = nil,
        in bodies: BodyMemory
    ) async throws -> Echo {
        try await bodies.withBody(of: request, upTo: 16 << 20) { Echo(request, body: $0, token: token) }
    }

    private init(_ request: Request, body buffer: ByteBuffer, token: [String: JsonValue]?) {
        self.token = token
        method = request.method.rawValue
        target = request.head.path ?? ""
        query = request.queryItems
        // The server does not include Host in the headers.
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
