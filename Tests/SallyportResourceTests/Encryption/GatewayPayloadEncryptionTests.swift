import ClientTestSupport
import Crypto
import Foundation
import HTTPTypes
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportResource

/// The client and the gateway, over sockets.
@Suite(.concurrencyLimited) struct GatewayPayloadEncryptionTests {
    /// Runs a gateway with paths that require encryption.
    private func withGateway(
        curve: KeyAgreementCurve = .x25519,
        requiredFor paths: [String] = ["/echo", "/bytes"],
        _ body: (_ encrypted: HttpClient, _ plain: HttpClient, _ url: String) async throws -> Void
    ) async throws {
        let key = try PayloadKey.generate(on: curve)
        var configuration = GatewayConfiguration()
        configuration.payloadEncryption = try GatewayPayloadEncryption(keys: [key], requiredFor: paths)
        try await Gateway.withRunning(configuration) { gateway in
            let encryption = PayloadEncryption(
                try PayloadServerKey([key.publicKey]),
                for: try OriginSet([gateway.baseURL]),
                handshakeURL: gateway.baseURL + GatewayPayloadEncryption.handshakePath
            )
            let encrypted = HttpClient.createClient { $0.sealing = [encryption] }
            let plain = HttpClient.createClient()
            defer {
                encrypted.close()
                plain.close()
            }
            try await body(encrypted, plain, gateway.baseURL)
        }
    }

    @Test(arguments: [KeyAgreementCurve.x25519, .p256])
    func `The gateway receives requests as the app made them`(curve: KeyAgreementCurve) async throws {
        try await withGateway(curve: curve) { client, _, url in
            let response = try await client.request { request in
                request.url = url + "/echo/a%20b?c=d&e=%C3%BC"
                request.post(contentType: "application/json", body: #"{"name": "Jürgen"}"#)
                request.setHeader(name: "Authorization", value: "Bearer token")
                request.setHeader(name: "If-None-Match", value: "\"7\"")
            }
            let echo = try response.decode(EchoedRequest.self)
            #expect(echo.method == "POST")
            #expect(echo.target == "/echo/a%20b?c=d&e=%C3%BC")
            #expect(echo.body == #"{"name": "Jürgen"}"#)
            #expect(echo.headers["content-type"] == ["application/json"])
            #expect(echo.headers["content-length"] == nil)
            #expect(echo.headers["authorization"] == ["Bearer token"])
            #expect(echo.headers["payload-encryption"] == nil)
            #expect(response.getHeader(name: "Content-Type")?.hasPrefix("application/json") == true)
        }
    }

    @Test func `HEAD, statuses without a body, ranges, errors and bodies of unknown length work`() async throws {
        try await withGateway { client, _, url in
            var head = HttpRequest(url: url + "/bytes/1000")
            head.setMethod(.head)
            let headResponse = try await client.request(request: head) as HttpResponse
            #expect(headResponse.status == .ok)
            #expect(headResponse.getHeader(name: "Content-Type") == "application/octet-stream")
            #expect(try await client.request { $0.url = url + "/status/204" }.status == .noContent)
            #expect(try await client.request { $0.url = url + "/status/304" }.status == .notModified)
            #expect(try await client.request { $0.url = url + "/status/503" }.status == .serviceUnavailable)
            #expect(try await client.request { $0.url = url + "/nothing-here" }.status == .notFound)

            let complete = try await client.request { $0.url = url + "/bytes/1000" }
            let part = try await client.request { request in
                request.url = url + "/bytes/1000"
                request.setHeader(name: "Range", value: "bytes=10-19")
            }
            #expect(part.status == .partialContent)
            #expect(part.getHeader(name: "Content-Range") == "bytes 10-19/1000")
            #expect(part.body == complete.body?.dropFirst(10).prefix(10))
            #expect(part.getHeader(name: "Content-Length") == "10")

            let lines = try await client.request { $0.url = url + "/stream/5000" }
            #expect(lines.bodyAsString().split(separator: "\n").count == 5000)
            #expect(lines.trailers.isEmpty)
        }
    }

    @Test func `Large bodies are streamed in both directions`() async throws {
        try await withGateway(requiredFor: ["/echo"]) { client, plain, url in
            let count = 1_000_000
            let expected = try #require(try await plain.request { $0.url = url + "/bytes/\(count)" }.body)
            #expect(expected.count == count)
            let digest = try await client.stream(request: HttpRequest(url: url + "/bytes/\(count)")) { response in
                #expect(response.getHeader(name: "Content-Length") == "\(count)")
                var (hash, length) = (SHA256(), 0)
                for try await chunk in response.bodyStream {
                    hash.update(data: chunk)
                    length += chunk.count
                }
                #expect(length == count)
                return Data(hash.finalize())
            }
            #expect(Data(SHA256.hash(data: expected)) == digest)
            let bytes = try await client.request { $0.url = url + "/bytes/\(count)" }.body ?? Data()
            #expect(bytes == expected)

            let response = try await client.request { request in
                request.url = url + "/echo"
                request.put(contentType: "application/octet-stream", body: bytes)
            }
            let echo = try response.decode(EchoedRequest.self)
            #expect(echo.bodyLength == count)
            #expect(Data(base64Encoded: echo.body) == bytes)
        }
    }

    @Test(arguments: ["/echo", "/echo/deeper", "//echo", "/%65cho", "/bytes/10"])
    func `A path that requires encryption refuses other requests`(path: String) async throws {
        try await withGateway { client, plain, url in
            let refused = try await plain.request { $0.url = url + path }
            #expect(refused.status == .badRequest)
            #expect(refused.getHeader(name: "Payload-Encryption-Error") == "encryption_required")
            #expect(try await plain.request { $0.url = url + "/health" }.status == .ok)
            #expect(try await client.request { $0.url = url + "/health" }.status == .ok)
        }
    }

    @Test func `If all paths require encryption, the handshake and the public keys do not`() async throws {
        try await withGateway(requiredFor: ["/"]) { client, plain, url in
            for path in ["/health", "/", "/api/v1/payload", "/api/v1/payload/keys/"] {
                let refused = try await plain.request { $0.url = url + path }
                #expect(refused.getHeader(name: "Payload-Encryption-Error") == "encryption_required", "\(path)")
            }
            #expect(try await plain.request { $0.url = url + "/api/v1/payload/keys" }.status == .ok)
            #expect(try await client.request { $0.url = url + "/health" }.status == .ok)
        }
    }

    @Test func `Cookies of both sides are protected, one for each line`() async throws {
        try await withGateway { client, _, url in
            let response = try await client.request { request in
                request.url = url + "/cookies/set?a=1&b=2"
                request.setHeader(name: "Cookie", value: "c=3; d=4")
            }
            #expect(response.getCookieStrings() == ["a=1; Path=/", "b=2; Path=/"])
        }
    }

    @Test func `The gateway ignores a session token that a proxy has added to a sealed request`() async throws {
        /// Adds the session token of another account.
        struct Adding: Interceptor {
            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                var request = request
                if request.url?.hasSuffix("/echo") == true { request.setHeader(name: "sso", value: "the proxy's") }
                return try await next(request)
            }
        }
        let key = try PayloadKey.generate()
        var identity = AuthorizationServerConfiguration(users: [], clients: [])
        identity.sessionCookie = "sso"
        var configuration = GatewayConfiguration(authorizationServer: try AuthorizationServer(identity))
        configuration.payloadEncryption = try GatewayPayloadEncryption(keys: [key])
        try await Gateway.withRunning(configuration) { gateway in
            let encryption = PayloadEncryption(
                try PayloadServerKey([key.publicKey]),
                for: try OriginSet([gateway.baseURL]),
                handshakeURL: gateway.baseURL + GatewayPayloadEncryption.handshakePath
            )
            for isSealed in [true, false] {
                let client = HttpClient.createClient { config in
                    if isSealed { config.sealing = [encryption] }
                    config.addWireInterceptor(Adding())
                }
                defer { client.close() }
                let echo = try await client.request { $0.url = gateway.baseURL + "/echo" }.decode(EchoedRequest.self)
                #expect(echo.headers["sso"] == (isSealed ? nil : ["the proxy's"]))
            }
        }
    }

    @Test func `An encrypted body without its header is refused`() async throws {
        try await withGateway { _, plain, url in
            let response = try await plain.request { request in
                request.url = url + "/health"
                request.post(contentType: PayloadFields.mediaType, body: Data(count: 100))
            }
            #expect(response.getHeader(name: "Payload-Encryption-Error") == "invalid_message")
        }
    }

    @Test(arguments: [
        ("text/plain", "e30.....", "invalid_handshake"), ("application/jose", "a.b.c", "invalid_handshake"),
    ])
    func `A handshake that is malformed is refused`(type: String, body: String, code: String) async throws {
        try await withGateway { _, plain, url in
            let response = try await plain.request { request in
                request.url = url + GatewayPayloadEncryption.handshakePath
                request.post(contentType: type, body: body)
            }
            #expect(response.status == .badRequest)
            #expect(response.getHeader(name: "Payload-Encryption-Error") == code)
        }
    }

    @Test func `The gateway publishes the keys that apps need`() async throws {
        try await withGateway { client, plain, url in
            let keys = try await plain.request { $0.url = url + "/api/v1/payload/keys" }.bodyAsString()
            let encryption = PayloadEncryption(
                try PayloadServerKey(parsing: keys),
                for: try OriginSet([url]),
                handshakeURL: url + GatewayPayloadEncryption.handshakePath
            )
            let other = HttpClient.createClient { $0.sealing = [encryption] }
            defer { other.close() }
            #expect(try await other.request { $0.url = url + "/echo" }.status == .ok)
            #expect(!keys.contains("\"d\""))
        }
    }

    @Test func `Keys that cannot be used are refused when the gateway is configured`() throws {
        #expect(throws: GatewayError.invalidPayloadKey("there is no key")) { try GatewayPayloadEncryption(keys: []) }
        let key = try PayloadKey.generate()
        #expect(throws: GatewayError.invalidPayloadKey("it is not a private key")) {
            try GatewayPayloadEncryption(keys: [key.publicKey])
        }
        #expect(throws: GatewayError.self) {
            try GatewayPayloadEncryption(keys: [JsonWebKey.generate(.ecdhEs, curve: .p521)])
        }
        for curve in [KeyAgreementCurve.x25519, .p256] {
            var members = try PayloadKey.generate(on: curve).members
            members["d"] = try PayloadKey.generate(on: curve).members["d"]
            let reason = "its private number (d) does not belong to its public key"
            #expect(throws: GatewayError.invalidPayloadKey(reason)) {
                try GatewayPayloadEncryption(keys: [JsonWebKey(members: members)])
            }
        }
    }
}
