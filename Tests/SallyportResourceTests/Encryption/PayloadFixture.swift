import ClientTestSupport
import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTesting
import SallyportTransport
import TestSupport

@testable import SallyportGateway
@testable import SallyportResource

/// A server in memory that encrypts payloads as the gateway does, and an attacker between it and the client.
final class PayloadFixture: Sendable {
    static let url = "https://api.example.com"

    /// Returns the response to a decrypted request.
    typealias Route = @Sendable (HTTPRequest, Data) -> MockResponse
    /// Changes the sealed response to a request.
    typealias Attack = @Sendable (MockRequest, inout MockResponse) -> Void

    let privateKey: JsonWebKey
    let transport = MockTransport()
    /// The decrypted bodies of requests.
    let contents = Journal()
    private let server: Locked<GatewayPayloadEncryption>
    private let route: Route
    private let attack = Locked<Attack?>(nil)

    init(
        curve: KeyAgreementCurve = .x25519,
        route: @escaping Route = { _, content in .text("received \(content.count)") }
    )
        throws
    {
        privateKey = try PayloadKey.generate(on: curve)
        server = Locked(try GatewayPayloadEncryption(keys: [privateKey]))
        self.route = route
        transport.on(nil, "/**") { [self] request in respond(to: request) }
    }

    /// The requests for sessions.
    var handshakes: [MockRequest] { transport.requests.filter { $0.path == GatewayPayloadEncryption.handshakePath } }

    /// The sealed requests.
    var messages: [MockRequest] { transport.requests.filter { $0.path != GatewayPayloadEncryption.handshakePath } }

    /// Changes all following responses.
    func change(_ attack: @escaping Attack) { self.attack.withLock { $0 = attack } }

    /// Removes all sessions, as a restart does, and uses other keys.
    func restart(with keys: [JsonWebKey]? = nil) throws {
        let restarted = try GatewayPayloadEncryption(keys: keys ?? [privateKey])
        server.withLock { $0 = restarted }
    }

    func encryption(_ keys: [JsonWebKey]? = nil) throws -> PayloadEncryption {
        PayloadEncryption(
            try PayloadServerKey(keys ?? [privateKey.publicKey]),
            for: try OriginSet([Self.url]),
            handshakeURL: Self.url + GatewayPayloadEncryption.handshakePath
        )
    }

    func client(_ configure: (inout HttpClientConfiguration) -> Void = { _ in }) throws -> HttpClient {
        let encryption = try encryption()
        return HttpClient.createClient { config in
            config.transport = transport
            config.sealing = [encryption]
            configure(&config)
        }
    }

    private func respond(to request: MockRequest) -> MockResponse {
        var response: MockResponse
        do throws(PayloadRefusal) {
            response = try sealedResponse(to: request)
        } catch {
            response = MockResponse(status: .badRequest, headers: [.payloadEncryptionError: error.rawValue])
        }
        attack.withLock { $0 }?(request, &response)
        return response
    }

    private func sealedResponse(to request: MockRequest) throws(PayloadRefusal) -> MockResponse {
        let server = server.withLock { $0 }
        if request.path == GatewayPayloadEncryption.handshakePath {
            return MockResponse(
                headers: [.contentType: "application/jose"],
                body: Data(try server.open(request.text, from: "").utf8)
            )
        }
        guard let seal = request.head.headerFields[.payloadEncryption] else { throw .encryptionRequired }
        let hasBody = request.head.headerFields[.contentType] == PayloadFields.mediaType
        let exchange = try server.accept(PayloadRequestHead(request.head, hasBody: hasBody), seal)
        guard let content = hasBody ? try? exchange.requestBody.open(request.body) : Data() else {
            throw .invalidMessage
        }
        contents.add(String(decoding: content, as: UTF8.self))
        var head = request.head
        PayloadFields.open(&head.headerFields, hasBody: hasBody)
        var response = route(head, content)
        PayloadFields.seal(&response.headers, hasBody: !response.body.isEmpty)
        let responseHead = PayloadResponseHead(
            status: response.status.code,
            fields: response.headers,
            to: request.method
        )
        let (responseSeal, key) = exchange.seal(responseHead)
        response.headers[.payloadEncryption] = responseSeal
        if responseHead.hasBody { response.body = (try? key.seal(response.body)) ?? Data() }
        return response
    }
}

extension NetworkError {
    /// The error of payload encryption that this error wraps.
    var payload: PayloadEncryptionError? { failure.underlying as? PayloadEncryptionError }
}

/// Returns the bytes from 0 to 250, repeated.
func repeatedBytes(_ count: Int) -> Data {
    var bytes = Data(0..<251)
    while bytes.count < count { bytes += bytes }
    return bytes.prefix(count)
}
