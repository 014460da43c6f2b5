import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway
@testable import SallyportResource

/// Attacks on messages between a client and a server, none of which may be accepted.
@Suite(.busy) struct MutatedPayloadsTests {
    /// The number of attacks per test: 5,000 by default, or the value of `SALLYPORT_MUTATIONS`.
    private static let count = ProcessInfo.processInfo.environment["SALLYPORT_MUTATIONS"].flatMap { Int($0) } ?? 5000
    /// The number of attacks on handshakes, which take longer.
    private static let handshakeCount = count / 10
    /// The characters that a header field can contain.
    private static let printable: ClosedRange<UInt8> = 33...126

    /// A sealed request as an attacker sees it.
    private struct Message: Equatable {
        var method = HTTPRequest.Method.post
        var authority = "api.example.com"
        var target = "/accounts/7?limit=2"
        var fields: HTTPFields = [.authorization: "Bearer token", .contentType: "application/json"]
        var body = Data()

        var head: HTTPRequest {
            HTTPRequest(method: method, scheme: "https", authority: authority, path: target, headerFields: fields)
        }
    }

    /// A sealed response as an attacker sees it.
    private struct Answer: Equatable {
        var status = 200
        var fields: HTTPFields = [.contentType: "application/json", .eTag: "\"7\"", .location: "/accounts/8"]
        var body = Data()
    }

    private let key: JsonWebKey
    private let server: GatewayPayloadEncryption

    init() throws {
        key = try PayloadKey.checked(PayloadKey.generate())
        server = try GatewayPayloadEncryption(keys: [key])
    }

    private func openSession() throws -> PayloadSession {
        let handshake = try PayloadHandshake(with: key)
        return try handshake.session(answeredBy: server.open(handshake.request, from: "")).session
    }

    // MARK: Requests

    @Test func `No changed, exchanged or repeated request is accepted`() async throws {
        var random = SeededGenerator(seed: 151)
        let sessions = try [openSession(), openSession()]
        var counters: [UInt64] = [0, 1]
        var previous = try seal(Message(), "the previous message", in: sessions[1], counter: 1)
        #expect(open(previous) == "the previous message")
        for round in 0..<Self.count {
            await Task.yield()
            let index = round % 2
            counters[index] += 1
            let content = String(repeating: "x", count: Int.random(in: 0...40, using: &random))
            let message = try seal(Message(), content, in: sessions[index], counter: counters[index])
            let (attacked, name) = Self.attack(message, previous, using: &random)
            if attacked != message {
                #expect(open(attacked) == nil, "\(name) of request \(round)")
            }
            // A refused head does not use up the counter. If only the body was changed, the counter is used up.
            let isOnlyBody = attacked.head == message.head && attacked != message
            #expect(open(message) == (isOnlyBody ? nil : content), "request \(round) after \(name)")
            #expect(open(message) == nil, "request \(round) is repeated after \(name)")
            previous = message
        }
    }

    private func seal(
        _ plain: Message,
        _ content: String,
        in session: PayloadSession,
        counter: UInt64
    ) throws -> Message {
        var message = plain
        PayloadFields.seal(&message.fields, hasBody: !content.isEmpty)
        let head = PayloadRequestHead(message.head, hasBody: !content.isEmpty)
        let (seal, exchange) = session.seal(head, counter: counter)
        message.fields[.payloadEncryption] = seal.text
        if !content.isEmpty { message.body = try exchange.requestBody.seal(Data(content.utf8)) }
        return message
    }

    /// Returns the content of a request that the server accepts, as its middleware does.
    private func open(_ message: Message) -> String? {
        guard let seal = message.fields[.payloadEncryption] else { return nil }
        let hasBody = message.fields[.contentType] == PayloadFields.mediaType
        guard let exchange = try? server.accept(PayloadRequestHead(message.head, hasBody: hasBody), seal) else {
            return nil
        }
        // The middleware discards the body of a request that was sealed without one.
        guard let content = hasBody ? try? exchange.requestBody.open(message.body) : Data() else { return nil }
        return String(decoding: content, as: UTF8.self)
    }

    private static func attack(
        _ message: Message,
        _ other: Message,
        using random: inout SeededGenerator
    ) -> (message: Message, name: String) {
        var attacked = message
        switch Int.random(in: 0...13, using: &random) {
        case 0:
            attacked.fields[.payloadEncryption] = message.fields[.payloadEncryption]?
                .mutated(with: printable, using: &random)
            return (attacked, "a changed seal")
        case 1:
            attacked.fields[.payloadEncryption] = other.fields[.payloadEncryption]
            return (attacked, "the seal of another request")
        case 2:
            attacked.method = [.get, .put, .patch, .delete, .head].randomElement(using: &random) ?? .get
            return (attacked, "another method")
        case 3:
            attacked.target = message.target.mutated(with: printable, using: &random)
            return (attacked, "another target")
        case 4:
            attacked.authority = message.authority.mutated(with: printable, using: &random).lowercased()
            return (attacked, "another host")
        case 5:
            attacked.fields[.authorization] = ["Bearer other", nil].randomElement(using: &random) ?? nil
            return (attacked, "another authorization")
        case 6:
            attacked.fields[.payloadContentType] = ["text/html", nil].randomElement(using: &random) ?? nil
            return (attacked, "another content type")
        case 7:
            let name = PayloadFields.ofRequests.randomElement(using: &random) ?? .range
            attacked.fields[name] = "x"
            return (attacked, "an added field")
        case 8:
            // Changes the kind of message: with a body, or without one.
            attacked.fields[.contentType] = message.fields[.contentType] == nil ? PayloadFields.mediaType : nil
            return (attacked, "another kind of message")
        case 9 where !message.body.isEmpty:
            attacked.body = other.body.isEmpty ? Data(message.body.dropLast()) : other.body
            return (attacked, "the body of another request")
        case 10 where !message.body.isEmpty:
            attacked.body = Data(message.body.prefix(Int.random(in: 0..<message.body.count, using: &random)))
            return (attacked, "a truncated body")
        case 11 where !message.body.isEmpty:
            attacked.body += Data(count: Int.random(in: 1...100, using: &random))
            return (attacked, "a longer body")
        case 12 where !message.body.isEmpty:
            attacked.body[Int.random(in: 0..<message.body.count, using: &random)] ^=
                1 << UInt8.random(in: 0...7, using: &random)
            return (attacked, "a changed body")
        default:
            return (other, "another request")
        }
    }

    // MARK: Responses

    @Test func `No changed or exchanged response is accepted`() async throws {
        var random = SeededGenerator(seed: 152)
        let session = try openSession()
        func exchange(_ counter: UInt64) throws -> (client: PayloadExchange, server: PayloadExchange) {
            let message = Message()
            let head = PayloadRequestHead(message.head, hasBody: false)
            let (seal, exchange) = session.seal(head, counter: counter)
            return (exchange, try #require(session.open(head, seal)))
        }
        var other = try seal(Answer(), "another response", exchange(999_999).server)
        for round in 1...Self.count {
            await Task.yield()
            let (client, server) = try exchange(UInt64(round))
            let content = String(repeating: "y", count: Int.random(in: 0...40, using: &random))
            let answer = try seal(Answer(), content, server)
            let (attacked, name) = Self.attack(answer, other, using: &random)
            if attacked != answer { #expect(open(attacked, client) == nil, "\(name) of response \(round)") }
            #expect(open(answer, client) == content, "response \(round)")
            #expect(open(other, client) == nil, "the previous response instead of \(round)")
            other = answer
        }
    }

    private func seal(_ plain: Answer, _ content: String, _ exchange: PayloadExchange) throws -> Answer {
        var answer = plain
        PayloadFields.seal(&answer.fields, hasBody: !content.isEmpty)
        let head = PayloadResponseHead(status: answer.status, fields: answer.fields, to: .post)
        let (seal, key) = exchange.seal(head)
        answer.fields[.payloadEncryption] = seal
        if !content.isEmpty { answer.body = try key.seal(Data(content.utf8)) }
        return answer
    }

    /// Returns the content of a response that the client accepts.
    private func open(_ answer: Answer, _ exchange: PayloadExchange) -> String? {
        guard let seal = answer.fields[.payloadEncryption] else { return nil }
        let head = PayloadResponseHead(status: answer.status, fields: answer.fields, to: .post)
        guard let key = exchange.open(head, seal) else { return nil }
        if !head.hasBody { return answer.body.isEmpty ? "" : nil }
        return (try? key.open(answer.body)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func attack(
        _ answer: Answer,
        _ other: Answer,
        using random: inout SeededGenerator
    ) -> (answer: Answer, name: String) {
        var attacked = answer
        switch Int.random(in: 0...9, using: &random) {
        case 0:
            attacked.fields[.payloadEncryption] = answer.fields[.payloadEncryption]?
                .mutated(with: printable, using: &random)
            return (attacked, "a changed seal")
        case 1:
            attacked.status = Int.random(in: 200...599, using: &random)
            return (attacked, "another status")
        case 2:
            let name = PayloadFields.ofResponses.randomElement(using: &random) ?? .eTag
            attacked.fields[name] = ["x", nil].randomElement(using: &random) ?? nil
            return (attacked, "another field")
        case 3:
            attacked.fields[.contentType] =
                answer.fields[.contentType] == nil ? PayloadFields.mediaType : "application/json"
            return (attacked, "another kind of message")
        case 4 where !answer.body.isEmpty:
            attacked.body = Data(answer.body.prefix(Int.random(in: 0..<answer.body.count, using: &random)))
            return (attacked, "a truncated body")
        case 5:
            attacked.body += Data(count: Int.random(in: 1...100, using: &random))
            return (attacked, "a longer body")
        case 6 where !answer.body.isEmpty:
            attacked.body[Int.random(in: 0..<answer.body.count, using: &random)] ^=
                1 << UInt8.random(in: 0...7, using: &random)
            return (attacked, "a changed body")
        case 7 where answer.body != other.body:
            attacked.body = other.body
            return (attacked, "the body of another response")
        case 8:
            attacked.fields[.payloadEncryption] = other.fields[.payloadEncryption]
            return (attacked, "the seal of another response")
        default:
            return (other, "another response")
        }
    }

    // MARK: Bodies of several segments

    @Test func `No body whose segments were changed, reordered, repeated or removed is accepted`() async throws {
        var random = SeededGenerator(seed: 153)
        let session = try openSession()
        let head = PayloadRequestHead(Message().head, hasBody: true)
        let keys = [
            session.seal(head, counter: 1).exchange.requestBody, session.seal(head, counter: 2).exchange.requestBody,
        ]
        let content = repeatedBytes(200_000)
        let segmentLength = StreamSealer.defaultSegmentLength
        let bodies = try keys.map { try $0.seal(content) }
        for round in 0..<max(50, Self.count / 100) {
            await Task.yield()
            var segments = stride(from: 0, to: bodies[0].count, by: segmentLength).map {
                Data(bodies[0].dropFirst($0).prefix(segmentLength))
            }
            let index = Int.random(in: 0..<segments.count, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: segments.swapAt(index, (index + 1) % segments.count)
            case 1: segments.remove(at: index)
            case 2: segments.insert(segments[index], at: index)
            case 3: segments[index] = Data(bodies[1].dropFirst(index * segmentLength).prefix(segmentLength))
            default: segments[index][Int.random(in: 0..<segments[index].count, using: &random)] ^= 1
            }
            let attacked = segments.reduce(into: Data()) { $0 += $1 }
            #expect(throws: JoseError.self, "round \(round)") { try keys[0].open(attacked) }
        }
        #expect(try keys[0].open(bodies[0]) == content)
        #expect(throws: JoseError.self) { try keys[1].open(bodies[0]) }
    }

    // MARK: Handshakes

    @Test func `No changed handshake is accepted`() async throws {
        var random = SeededGenerator(seed: 154)
        let handshake = try PayloadHandshake(with: key)
        let response = try server.open(handshake.request, from: "")
        let other = try server.open(PayloadHandshake(with: key).request, from: "")
        for round in 0..<Self.handshakeCount {
            await Task.yield()
            let request = handshake.request.mutated(with: Self.printable, using: &random)
            if request != handshake.request {
                let error = #expect(throws: PayloadRefusal.self, "request \(round)") {
                    try server.open(request, from: "")
                }
                #expect(error == .invalidHandshake || error == .unknownKey)
            }
            let isMutated = Bool.random(using: &random)
            let attacked = isMutated ? response.mutated(with: Self.printable, using: &random) : other
            if attacked != response {
                #expect(throws: JoseError.self, "response \(round)") { try handshake.session(answeredBy: attacked) }
            }
        }
        #expect(throws: Never.self) { try handshake.session(answeredBy: response) }
    }
}
