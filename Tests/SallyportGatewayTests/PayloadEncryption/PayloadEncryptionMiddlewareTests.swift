import Foundation
import HTTPTypes
import Hummingbird
import SallyportJOSE
import SallyportResource
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct PayloadEncryptionMiddlewareTests {
    /// The route that a test calls.
    private struct TestedRoute: RouteGroup {
        let routeDescriptions = ["/tested": "POST: the route of a test."]
        let respond: @Sendable (Request) async throws -> Response

        func addRoutes(to router: Router<GatewayContext>) {
            router.post("/tested") { request, _ in try await respond(request) }
        }
    }

    /// Changes a sealed request.
    private typealias Attack = (_ fields: inout HTTPFields, _ body: inout Data) -> Void

    /// Sends a sealed request to a route, and returns the response as it was received, and its content if it is sealed.
    private func send(
        _ content: String = "",
        _ fields: HTTPFields = [:],
        attack: Attack = { _, _ in },
        to respond: @escaping @Sendable (Request) async throws -> Response
    ) async throws -> (response: TestResponse, content: String?) {
        let key = try PayloadKey.checked(PayloadKey.generate())
        let encryption = try GatewayPayloadEncryption(keys: [key])
        let handshake = try PayloadHandshake(with: key)
        let session = try handshake.session(answeredBy: encryption.open(handshake.request, from: "")).session
        let hasBody = !content.isEmpty
        var request = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/tested")
        request.headerFields = fields
        PayloadFields.seal(&request.headerFields, hasBody: hasBody)
        let (seal, exchange) = session.seal(PayloadRequestHead(request, hasBody: hasBody), counter: 1)
        request.headerFields[.payloadEncryption] = seal.text
        var body = hasBody ? try exchange.requestBody.seal(Data(content.utf8)) : Data()
        attack(&request.headerFields, &body)

        var identity = AuthorizationServerConfiguration(users: [], clients: [])
        identity.signatureAlgorithms = [.es256]
        identity.sessionCookie = "sso"
        var configuration = GatewayConfiguration(authorizationServer: try AuthorizationServer(identity))
        configuration.payloadEncryption = encryption
        let router = Router.gateway(routeGroups: [TestedRoute(respond: respond)], configuration)
        let response = try await RouterClient(router).execute(
            uri: "/tested",
            method: .post,
            headers: request.headerFields,
            body: ByteBuffer(bytes: body)
        )
        let head = PayloadResponseHead(status: response.status.code, fields: response.headers, to: .post)
        guard let responseSeal = response.headers[.payloadEncryption] else { return (response, nil) }
        let bodyKey = try #require(exchange.open(head, responseSeal))
        let opened = head.hasBody ? try bodyKey.open(Data(response.body.readableBytesView)) : Data()
        return (response, String(decoding: opened, as: UTF8.self))
    }

    private static func text(_ text: String) -> Response {
        Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    @Test func `Instead of a body with a content coding, the client receives a sealed 500`() async throws {
        let (response, content) = try await send { _ in
            var response = Self.text("coded")
            response.headers[.contentEncoding] = "gzip"
            return response
        }
        #expect(response.status == .internalServerError)
        #expect(content == "")
    }

    @Test func `A request that was encrypted twice is refused`() async throws {
        let (response, _) = try await send("ciphertext", [.contentType: PayloadFields.mediaType]) { _ in
            Self.text("executed")
        }
        #expect(response.status == .badRequest)
        #expect(response.headers[.payloadEncryptionError] == "invalid_message")
    }

    @Test func `Credentials that a proxy has added are ignored`() async throws {
        let names = try ["sso", "X-API-Key", "iPlanetDirectoryPro", "X-OpenAM-Password", "Accept-Language"].map {
            try #require(HTTPField.Name($0))
        }
        let attack: Attack = { fields, _ in
            for name in names { fields[name] = "the proxy's" }
        }
        let sent: HTTPFields = [.authorization: "Bearer token", .cookie: "a=1"]
        let (_, content) = try await send("", sent, attack: attack) { request in
            let received = (names + [.authorization, .cookie]).filter { request.headers.contains($0) }
            return Self.text(received.map(\.canonicalName).joined(separator: " "))
        }
        #expect(content == "accept-language authorization cookie")
    }

    @Test func `Digests that a proxy has added are removed`() async throws {
        let name = try #require(HTTPField.Name("Content-Digest"))
        let attack: Attack = { fields, _ in fields[name] = "sha-256=:AAAA:" }
        let (_, content) = try await send("the amount is 5", attack: attack) { request in
            Self.text(request.headers[name] ?? "no digest")
        }
        #expect(content == "no digest")
    }

    @Test(arguments: ["9223372036854775807", "9223372036854710273", "1"])
    func `A Content-Length that the body does not have is ignored`(length: String) async throws {
        let attack: Attack = { fields, _ in fields[.contentLength] = length }
        let (response, content) = try await send("the amount is 5", attack: attack) { request in
            let content = String(buffer: try await request.body.collect(upTo: 100))
            return Self.text("\(content), \(request.headers[.contentLength] ?? "of no announced length")")
        }
        #expect(response.status == .ok)
        #expect(content == "the amount is 5, of no announced length")
    }
}
