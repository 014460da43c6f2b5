import Crypto
import Foundation
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct MultipartRoutesTests {
    private struct Form: Decodable {
        let parts: [Part]
    }

    private struct Part: Decodable, Equatable {
        var name: String?
        var filename: String?
        let contentType: String
        let length: Int
        let sha256: String
    }

    private static let type = "multipart/form-data; boundary=b"

    private func post(_ body: ByteBuffer, as type: String = Self.type) async throws -> TestResponse {
        let (answers, answer) = AsyncStream.makeStream(of: TestResponse.self)
        try await withRouter { client in
            let headers: HTTPFields = [.contentType: type]
            answer.yield(try await client.execute(uri: "/multipart", method: .post, headers: headers, body: body))
        }
        return try #require(await answers.first { _ in true })
    }

    @Test func `The response describes each part of the form`() async throws {
        let content = PseudoRandomBytes(seed: 1).buffer(0..<300_000)
        var body = ByteBuffer(string: "--b\r\nContent-Disposition: form-data; name=\"a %22ü%22\"\r\n\r\nText\r\n")
        body.writeString("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.bin\"\r\n")
        body.writeString("Content-Type: x/y\r\n\r\n")
        body.writeImmutableBuffer(content)
        body.writeString("\r\n--b--\r\n")
        let response = try await post(body)
        #expect(response.status == .ok)
        let text = SHA256.hash(data: Data("Text".utf8)).hexadecimal
        let bytes = SHA256.hash(data: content.readableBytesView).hexadecimal
        #expect(
            try response.decode(Form.self).parts == [
                Part(name: "a \"ü\"", contentType: "text/plain", length: 4, sha256: text),
                Part(name: "f", filename: "a.bin", contentType: "x/y", length: 300_000, sha256: bytes),
            ]
        )
    }

    @Test func `A form without parts is accepted`() async throws {
        #expect(try await post(ByteBuffer(string: "--b--\r\n")).decode(Form.self).parts.isEmpty)
    }

    private static let longHead = TextArgument("--b\r\nX: " + String(repeating: "x", count: 5000))
    private static let manyParts = TextArgument(String(repeating: "--b\r\n\r\n\r\n", count: 20_001))

    private static let bad: [(body: TextArgument, type: String, status: HTTPResponse.Status, message: String)] = [
        ("", type, .badRequest, "The body does not contain the boundary of its content type."),
        ("--b\r\n\r\nx", type, .badRequest, "The body ended early, in its part 1."),
        ("--b\r\nx\r\n\r\n", type, .badRequest, "A header of part 1 is not of the form Name: value."),
        (longHead, type, .contentTooLarge, "The headers of part 1 are longer than 4096 bytes."),
        (manyParts, type, .contentTooLarge, "The body has more than 20000 parts."),
        ("", "a/b", .unsupportedMediaType, "The content type \"a/b\" is not multipart with a valid boundary."),
    ]

    @Test(arguments: bad)
    func `The error for an invalid form states the problem`(
        body: TextArgument,
        type: String,
        status: HTTPResponse.Status,
        message: String
    ) async throws {
        let response = try await post(ByteBuffer(string: body.text), as: type)
        #expect(response.status == status)
        #expect(try response.decode(ErrorAnswer.self).message == message)
    }
}
