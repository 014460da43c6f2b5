import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SallyportJOSE
import SallyportResource
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct PayloadEncryptionMiddlewareTests {
    private struct CodedRoutes: RouteGroup {
        let routeDescriptions = ["/coded": "GET: a body with a content coding."]

        func addRoutes(to router: Router<GatewayContext>) {
            router.get("/coded") { _, _ in
                let body = ResponseBody(byteBuffer: ByteBuffer(string: "coded"))
                return Response(status: .ok, headers: [.contentEncoding: "gzip"], body: body)
            }
        }
    }

    @Test func `Instead of a body with a content coding, the client receives a sealed 500`() async throws {
        let key = try PayloadKey.checked(PayloadKey.generate())
        let encryption = try GatewayPayloadEncryption(keys: [key])
        let handshake = try PayloadHandshake(with: key)
        let session = try handshake.session(answeredBy: encryption.open(handshake.request, from: "")).session
        let request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/coded")
        let (seal, exchange) = session.seal(PayloadRequestHead(request, hasBody: false), counter: 1)
        let router = Router.gateway(routeGroups: [CodedRoutes()], payloadEncryption: encryption)
        let logger = GatewayConfiguration().logger
        try await Application(router: router, logger: logger).test(.router) { client in
            let headers: HTTPFields = [.payloadEncryption: seal.text]
            let response = try await client.execute(uri: "/coded", method: .get, headers: headers)
            #expect(response.status == .internalServerError)
            let head = PayloadResponseHead(status: response.status.code, fields: response.headers, to: .get)
            #expect(exchange.open(head, response.headers[.payloadEncryption] ?? "") != nil)
        }
    }
}
