import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportResource

/// The vectors of the specification, which the implementation in Python has written.
@Suite(.concurrencyLimited) struct PayloadVectorsTests {
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        struct Exchange: Decodable, Sendable {
            let counter: UInt64
            let method: String
            let authority: String
            let target: String
            let fields: [[String]]
            let content: String?
            let context: String
            let payloadEncryption: String
            let body: String?
            let status: Int
            let responseFields: [[String]]
            let responseContent: String?
            let responseContext: String
            let responsePayloadEncryption: String
            let responseBody: String?
        }

        let curve: String
        let serverKey: JsonWebKey
        let clientEphemeralKey: JsonWebKey
        let handshakeRequest: String
        let handshakeResponse: String
        let session: String
        let exchanges: [Exchange]

        var testDescription: String { curve }
    }

    private static let vectors: [Vector] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Docs/payload-encryption-vectors.json")
        let data = (try? Data(contentsOf: file)) ?? Data()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return (try? decoder.decode([Vector].self, from: data)) ?? []
    }()

    @Test func `There are vectors for both curves`() {
        #expect(Self.vectors.map(\.curve) == ["X25519", "P-256"])
    }

    @Test(arguments: vectors)
    func `A client derives the keys, and seals and opens the same messages`(vector: Vector) throws {
        let session = try session(of: vector)
        for exchange in vector.exchanges {
            let head = requestHead(exchange)
            #expect(
                head.context(session: vector.session, counter: exchange.counter) == Base64Url.decode(exchange.context)
            )
            let (seal, sealed) = session.seal(head, counter: exchange.counter)
            #expect(seal.text == exchange.payloadEncryption)
            #expect(try content(of: exchange.body, sealed.requestBody) == exchange.content)

            let response = responseHead(exchange)
            let key = try #require(sealed.open(response, exchange.responsePayloadEncryption))
            #expect(try content(of: exchange.responseBody, key) == exchange.responseContent)
        }
    }

    @Test(arguments: vectors)
    func `A server opens and seals the same messages`(vector: Vector) throws {
        let session = try session(of: vector)
        for exchange in vector.exchanges {
            let seal = try #require(PayloadRequestSeal(exchange.payloadEncryption))
            let opened = try #require(session.open(requestHead(exchange), seal))
            #expect(try content(of: exchange.body, opened.requestBody) == exchange.content)
            #expect(opened.seal(responseHead(exchange)).seal == exchange.responsePayloadEncryption)
        }
    }

    @Test(arguments: vectors)
    func `A server answers the handshake of a vector`(vector: Vector) throws {
        let (_, response) = try PayloadHandshakeAnswer.make(
            to: vector.handshakeRequest,
            with: [PayloadKey.checked(vector.serverKey)],
            lifetime: 60
        )
        let (_, lifetime) = try handshake(of: vector).session(answeredBy: response)
        #expect(lifetime == 60)
    }

    private func handshake(of vector: Vector) throws -> PayloadHandshake {
        PayloadHandshake(
            with: try PayloadKey.checked(vector.serverKey.publicKey),
            privateKey: vector.clientEphemeralKey,
            request: vector.handshakeRequest
        )
    }

    private func session(of vector: Vector) throws -> PayloadSession {
        let (session, lifetime) = try handshake(of: vector).session(answeredBy: vector.handshakeResponse)
        #expect(session.id == vector.session)
        #expect(lifetime == 3600)
        return session
    }

    private func requestHead(_ exchange: Vector.Exchange) -> PayloadRequestHead {
        let head = HTTPRequest(
            method: HTTPRequest.Method(rawValue: exchange.method) ?? .get,
            scheme: "https",
            authority: exchange.authority,
            path: exchange.target,
            headerFields: fields(exchange.fields)
        )
        return PayloadRequestHead(head, hasBody: exchange.content != nil)
    }

    private func responseHead(_ exchange: Vector.Exchange) -> PayloadResponseHead {
        PayloadResponseHead(
            status: exchange.status,
            fields: fields(exchange.responseFields),
            to: HTTPRequest.Method(rawValue: exchange.method) ?? .get
        )
    }

    private func fields(_ pairs: [[String]]) -> HTTPFields {
        var fields = HTTPFields()
        for pair in pairs {
            guard let name = HTTPField.Name(pair[0]) else { continue }
            fields.append(HTTPField(name: name, value: pair[1]))
        }
        return fields
    }

    private func content(of body: String?, _ key: PayloadBodyKey) throws -> String? {
        guard let body else { return nil }
        return String(decoding: try key.open(#require(Base64Url.decode(body))), as: UTF8.self)
    }
}
