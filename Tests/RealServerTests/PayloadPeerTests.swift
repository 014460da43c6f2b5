import ClientTestSupport
import Crypto
import Foundation
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportResource
import SallyportStorage
import TestSupport
import Testing

/// Payload encryption with an implementation in Python, in both directions.
@Suite(
    .concurrencyLimited,
    .enabled(
        if: RealServer.payloadPeer != nil,
        "run .ci/real-servers payload to have the implementation in Python started"
    )
)
struct PayloadPeerTests {
    private func client(_ curve: String) throws -> (client: HttpClient, url: String) {
        let (url, key) = try #require(RealServer.payloadServers[curve])
        let encryption = PayloadEncryption(
            try PayloadServerKey(parsing: key),
            for: try OriginSet([url]),
            handshakeURL: url + "/api/v1/payload/handshake"
        )
        let client = HttpClient.createClient { config in
            config.sealing = [encryption]
            // The server encrypts slowly, and other tests use the processor.
            config.timeout = 60
        }
        return (client, url)
    }

    private struct Echo: Decodable {
        let method: String
        let target: String
        let type: String?
        let authorization: String?
        let body: String
    }

    @Test(arguments: ["X25519", "P256"])
    func `A server in Python opens requests and seals responses`(curve: String) async throws {
        let (client, url) = try client(curve)
        defer { client.close() }
        let response = try await client.request { request in
            request.url = url + "/echo/a%20b?c=d"
            request.post(contentType: "application/json", body: #"{"amount": 5}"#)
            request.setHeader(name: "Authorization", value: "Bearer token")
        }
        let echo = try response.decode(Echo.self)
        #expect(echo.method == "POST")
        #expect(echo.target == "/echo/a%20b?c=d")
        #expect(echo.type == "application/json")
        #expect(echo.authorization == "Bearer token")
        #expect(Base64Url.decode(echo.body) == Data(#"{"amount": 5}"#.utf8))
        #expect(response.getHeader(name: "Content-Type") == "application/json")
    }

    @Test(arguments: ["X25519", "P256"], [0, 1, 65_480, 65_481, 1_000_000])
    func `Bodies of any length are the same on both sides`(curve: String, count: Int) async throws {
        let (client, url) = try client(curve)
        defer { client.close() }
        let bytes = Data((0..<count).map { UInt8($0 % 251) })
        let downloaded = try await client.request { $0.url = url + "/bytes?count=\(count)" }
        #expect(downloaded.body == bytes)
        let streams: [RequestBody] = [
            .data(bytes),
            .stream(
                BodyStream(
                    AsyncStream {
                        $0.yield(bytes); $0.finish()
                    }
                )
            ),
        ]
        for body in streams {
            let response = try await client.request { request in
                request.url = url + "/digest"
                request.put(contentType: "application/octet-stream", body: Data())
                request.body = body
            }
            let digest = SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
            #expect(response.bodyAsString() == digest)
        }
    }

    @Test(arguments: ["X25519", "P256"])
    func `Messages without a body, and a lost session, work`(curve: String) async throws {
        let (client, url) = try client(curve)
        defer { client.close() }
        for status in [204, 304] {
            let response = try await client.request { $0.url = url + "/status/\(status)" }
            #expect(response.status.code == status)
            #expect(response.getHeader(name: "ETag") == "\"1\"")
            #expect(response.getCookieStrings().count == 2)
        }
        var head = HttpRequest(url: url + "/bytes?count=1000")
        head.setMethod(.head)
        #expect(try await client.request(request: head).status == .ok)
        #expect(try await client.request { $0.url = url + "/forget" }.bodyAsString() == "forgotten")
        #expect(try await client.request { $0.url = url + "/digest" }.status == .ok)
    }

    @Test(arguments: [KeyAgreementCurve.x25519, .p256])
    func `A client in Python calls the gateway, which refuses its attacks`(curve: KeyAgreementCurve) async throws {
        let key = try JsonWebKey.generate(.ecdhEs, curve: curve)
        var configuration = GatewayConfiguration()
        configuration.payloadEncryption = try GatewayPayloadEncryption(keys: [key], requiredFor: ["/echo"])
        try await Gateway.withRunning(configuration) { gateway in
            let publicKey = String(decoding: try JSONEncoder.ordered.encode(key.publicKey), as: UTF8.self)
            let peer = PythonProgram(interpreter: RealServer.payloadPython, script: RealServer.payloadPeer)
            let results: [String: Result] = try await peer.run(["call", gateway.baseURL, publicKey])
            let statuses = results.mapValues(\.status)
            #expect(
                statuses == [
                    "get": 200, "post": 200, "large": 200, "head": 200, "empty": 204, "range": 206, "missing": 404,
                    "cookies": 200, "once": 200, "replayed": 400, "elsewhere": 400, "changed": 400, "truncated": 400,
                ]
            )
            #expect(results["replayed"]?.refusal == "replayed")
            #expect(results["elsewhere"]?.refusal == "invalid_message")
            #expect(results["range"]?.content?.count == 10)
            let echo = try JSONDecoder().decode(EchoedRequest.self, from: results["post"]?.content ?? Data())
            #expect(echo.body == #"{"amount":5}"#)
            #expect(echo.headers["content-type"] == ["application/json"])
            let large = try JSONDecoder().decode(EchoedRequest.self, from: results["large"]?.content ?? Data())
            #expect(large.bodyLength == 200_000)
        }
    }

    private struct Result: Decodable {
        let status: Int
        let refusal: String?
        let body: String?

        var content: Data? { body.flatMap { Base64Url.decode($0) } }
    }
}
