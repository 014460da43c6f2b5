import Foundation
import Hummingbird
import NIOCore
import NetworkServiceCompatibility
import SallyportGateway
import TestSupport

/// A server that speaks the protocol of the original library: responses with a status and a body, access tokens, and refreshes
/// by the header `Authorization`.
final class EnvelopeServer: Sendable {
    /// The tokens of the server.
    let book = Watched(TokenBook())

    /// Runs the server while a closure runs, as the server of the base URL.
    static func run(_ body: @escaping @MainActor @Sendable (EnvelopeServer) async throws -> Void) async throws {
        let server = EnvelopeServer()
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: server.router,
            configuration: ApplicationConfiguration(address: .hostname("localhost", port: 0)),
            onServerRunning: { started.yield($0.localAddress?.port ?? 0) },
            logger: GatewayConfiguration().logger
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { started.finish() }
                try await application.run()
            }
            defer { tasks.cancelAll() }
            guard let port = await ports.first(where: { _ in true }) else { return try await tasks.waitForAll() }
            try await withBaseURL("http://localhost:\(port)/api") { try await body(server) }
        }
    }

    private var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("/api/echo") { request, _ in try await Self.echo(request) }
        router.post("/api/echo") { request, _ in try await Self.echo(request) }
        router.get("/api/cookie") { request, _ in
            var response = try await Self.echo(request)
            response.headers[.setCookie] = "sid=1; Path=/"
            return response
        }
        router.get("/api/moved") { _, _ in Response(status: .temporaryRedirect, headers: [.location: "profile"]) }
        router.get("/api/body") { _, _ in try Self.response(["body": ["id": 7]]) }
        router.get("/api/text") { _, _ in
            let body = ByteBuffer(string: #"{"status": {}}"#)
            return Response(status: .ok, headers: [.contentType: "text/plain"], body: .init(byteBuffer: body))
        }
        router.get("/api/profile") { [book] request, _ in try await Self.profile(request, book) }
        router.post("/api/profile") { [book] request, _ in try await Self.profile(request, book) }
        router.post("/api/login") { [book] _, _ in
            try Self.response(Reply(status: [:], body: Tokens(book.update { $0.logIn() })))
        }
        router.post("/api/auth/refresh") { [book] request, _ in
            guard let grant = book.update({ $0.refresh(request.headers[.authorization] ?? "") }) else {
                return try Self.response(Reply(status: ["message": "Log in again."]), .unauthorized)
            }
            return try Self.response(Reply(status: [:], body: Tokens(grant)))
        }
        return router
    }

    /// Returns the request if it carries a valid access token.
    private static func profile(_ request: Request, _ book: Watched<TokenBook>) async throws -> Response {
        let token = request.headers[.authorization]?.dropFirst("Bearer ".count) ?? ""
        guard book.update({ $0.call(String(token)) }) else {
            return try response(Reply(status: ["message": "Log in."]), .unauthorized)
        }
        return try await echo(request)
    }

    private static func echo(_ request: Request) async throws -> Response {
        var request = request
        let text = String(buffer: try await request.collectBody(upTo: 1 << 22))
        let fields = request.headers.map { ($0.name.canonicalName, $0.value) }
        let headers = Dictionary(fields) { "\($0), \($1)" }
        let echo = Echo(method: request.method.rawValue, target: request.uri.string, headers: headers, text: text)
        return try response(Reply(status: ["message": "OK"], body: echo))
    }

    private static func response(_ reply: some Encodable, _ status: HTTPResponse.Status = .ok) throws -> Response {
        let body = ByteBuffer(bytes: try JSONEncoder().encode(reply))
        return Response(status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: body))
    }
}

private struct Reply<Body: Encodable>: Encodable {
    var status: [String: String]
    var body: Body?
}

extension Reply where Body == String {
    init(status: [String: String]) { self.init(status: status, body: nil) }
}

private struct Tokens: Encodable {
    private enum CodingKeys: String, CodingKey {
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
    }

    var tokenType = "Bearer"
    var expiresIn = 3600
    var accessToken: String
    var refreshToken: String

    init(_ grant: TokenBook.Grant) {
        accessToken = grant.accessToken
        refreshToken = grant.refreshToken
    }
}

private struct Echo: Encodable {
    var method: String
    var target: String
    var headers: [String: String]
    var text: String
}

/// A request as ``EnvelopeServer`` has received it.
class EchoModel: BaseModel {
    var method = ""
    var target = ""
    var headers: [String: String] = [:]
    var text = ""

    override func mapping(map: Map) {
        method <- map["method"]
        target <- map["target"]
        headers <- map["headers"]
        text <- map["text"]
    }
}

struct GetEcho: NetworkServiceDelegate {
    static var path = "/echo"
    static var method = NetworkServiceHTTPMethod.get
    typealias V = EchoModel
}

struct PostEcho: NetworkServiceDelegate {
    static var path = "/echo?page=1"
    static var method = NetworkServiceHTTPMethod.post
    typealias V = EchoModel
}

struct GetCookie: NetworkServiceDelegate {
    static var path = "/cookie"
    static var method = NetworkServiceHTTPMethod.get
    typealias V = EchoModel
}

struct GetProfile: NetworkServiceDelegate {
    static var path = "/profile"
    static var method = NetworkServiceHTTPMethod.get
    typealias V = EchoModel
}

struct GetMovedProfile: NetworkServiceDelegate {
    static var path = "/moved"
    static var method = NetworkServiceHTTPMethod.get
    typealias V = EchoModel
}

struct GetText: NetworkServiceDelegate {
    static var path = "/text"
    static var method = NetworkServiceHTTPMethod.get
    typealias V = EchoModel
}
