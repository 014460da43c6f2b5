import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct ResumableUploadRoutesTests {
    private static let bytes = PseudoRandomBytes(seed: 1).buffer(0..<100_000)

    private struct Answer: Decodable {
        let length: Int
        let sha256: String?
    }

    private struct Problem: Decodable {
        let type: String
    }

    private func fields(_ more: HTTPFields = [:]) -> HTTPFields {
        var fields = more
        fields[.uploadDraftInteropVersion] = "6"
        return fields
    }

    /// Starts an upload with a part of the bytes.
    private func create(_ client: RouterClient, _ count: Int, query: String = "") async throws -> String {
        let body = Self.bytes.getSlice(at: 0, length: count)
        let headers = fields([.uploadComplete: "?0", .uploadLength: "100000"])
        let response = try await client.execute(uri: "/uploads\(query)", method: .post, headers: headers, body: body)
        #expect(response.status == .created)
        #expect(response.headers[.uploadComplete] == "?0")
        #expect(response.headers[.uploadOffset] == "\(count)")
        return try #require(response.headers[.location])
    }

    private func append(
        _ client: RouterClient,
        _ url: String,
        _ range: Range<Int>,
        at offset: Int? = nil,
        isLast: Bool = true
    ) async throws -> TestResponse {
        let headers = fields([
            .uploadOffset: "\(offset ?? range.lowerBound)", .uploadComplete: isLast ? "?1" : "?0",
            .contentType: "application/partial-upload",
        ])
        let body = Self.bytes.getSlice(at: range.lowerBound, length: range.count)
        return try await client.execute(uri: url, method: .patch, headers: headers, body: body)
    }

    @Test func `An upload is received in parts, and the last response contains the digest of all bytes`() async throws {
        try await withRouter { client in
            let url = try await create(client, 40_000)
            let middle = try await append(client, url, 40_000..<70_000, isLast: false)
            #expect(middle.status == .noContent)
            #expect(middle.headers[.uploadOffset] == "70000")
            let head = try await client.execute(uri: url, method: .head, headers: fields())
            #expect(head.headers[.uploadOffset] == "70000")
            #expect(head.headers[.uploadComplete] == "?0")
            #expect(head.headers[.uploadLength] == "100000")
            #expect(head.headers[.cacheControl] == "no-store")
            let last = try await append(client, url, 70_000..<100_000)
            #expect(last.headers[.uploadComplete] == "?1")
            let answer = try last.decode(Answer.self)
            #expect(answer.length == 100_000)
            #expect(answer.sha256 == SHA256.hash(data: Self.bytes.readableBytesView).hexadecimal)
            // A complete upload can still be queried by a client that has not received the response.
            let after = try await client.execute(uri: url, method: .get, headers: fields())
            #expect(after.headers[.uploadComplete] == "?1")
            #expect(try after.decode(Answer.self).sha256 == answer.sha256)
        }
    }

    @Test func `An upload without the fields of the draft is received like any other`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/uploads", method: .put, body: Self.bytes)
            #expect(try response.decode(Answer.self).length == 100_000)
            #expect(response.headers[.location] == nil)
        }
    }

    @Test(arguments: [0, 39_999, 40_001, 100_000])
    func `An append at another offset is refused with the current offset`(offset: Int) async throws {
        try await withRouter { client in
            let url = try await create(client, 40_000)
            let response = try await append(client, url, 40_000..<100_000, at: offset)
            #expect(response.status == .conflict)
            #expect(response.headers[.uploadOffset] == "40000")
            #expect(response.headers[.contentType] == "application/problem+json")
            #expect(try response.decode(Problem.self).type.hasSuffix("#mismatching-upload-offset"))
        }
    }

    @Test func `An inconsistent length and an append to a complete upload are refused`() async throws {
        try await withRouter { client in
            let url = try await create(client, 40_000)
            let short = try await append(client, url, 40_000..<90_000)
            #expect(short.status == .badRequest)
            #expect(try short.decode(Problem.self).type.hasSuffix("#inconsistent-upload-length"))
            _ = try await append(client, url, 40_000..<100_000)
            let more = try await append(client, url, 0..<1, at: 100_000)
            #expect(more.status == .badRequest)
            #expect(try more.decode(Problem.self).type.hasSuffix("#completed-upload"))
        }
    }

    @Test func `An offset and a length whose sum overflows are refused`() {
        var head = HTTPRequest(method: .patch, scheme: nil, authority: nil, path: "/uploads/a")
        head.headerFields = fields([
            .uploadOffset: "999999999999999", .uploadComplete: "?1", .contentLength: "\(Int64.max)",
        ])
        expectError(\UploadRefusal.kind, "inconsistentLength") {
            try UploadRequest(Request(head: head, body: RequestBody(buffer: ByteBuffer())))
        }
    }

    @Test func `A part larger than the requested limit is refused`() async throws {
        try await withRouter { client in
            let url = try await create(client, 0, query: "?part=50000")
            #expect(try await append(client, url, 0..<50_001, isLast: false).status == .contentTooLarge)
            let taken = try await append(client, url, 0..<50_000, isLast: false)
            #expect(taken.status == .noContent)
            #expect(taken.headers[.uploadLimit]?.contains("max-append-size=50000") == true)
        }
    }

    @Test func `A deleted upload and an unknown one are not found`() async throws {
        try await withRouter { client in
            let url = try await create(client, 1)
            #expect(try await client.execute(uri: url, method: .delete, headers: fields()).status == .noContent)
            #expect(try await client.execute(uri: url, method: .head, headers: fields()).status == .notFound)
            #expect(try await append(client, "/uploads/x", 0..<1).status == .notFound)
        }
    }

    @Test func `The media type, version and fields of the draft are required`() async throws {
        try await withRouter { client in
            let url = try await create(client, 0)
            var headers = fields([.uploadOffset: "0", .uploadComplete: "?1"])
            #expect(
                try await client.execute(uri: url, method: .patch, headers: headers).status == .unsupportedMediaType
            )
            headers = [.contentType: "application/partial-upload", .uploadComplete: "?1"]
            #expect(try await client.execute(uri: url, method: .patch, headers: headers).status == .badRequest)
            headers = fields([.uploadComplete: "?1", .uploadLength: "8589934593"])
            #expect(
                try await client.execute(uri: "/uploads", method: .post, headers: headers).status == .contentTooLarge
            )
        }
    }

    @Test func `A request for the offset supersedes the running append`() throws {
        let upload = ResumableUpload(length: 10, maximumPartSize: nil)
        let (writer, _) = upload.enter()
        try upload.append(ByteBuffer(string: "12345"), by: writer)
        let (next, status) = upload.enter()
        #expect(status.offset == 5)
        expectError(\UploadRefusal.kind, "superseded") { try upload.append(ByteBuffer(string: "6"), by: writer) }
        expectError(\UploadRefusal.kind, "superseded") { try upload.complete(by: writer) }
        try upload.append(ByteBuffer(string: "67890"), by: next)
        #expect(try upload.complete(by: next).sha256 == SHA256.hash(data: Data("1234567890".utf8)).hexadecimal)
    }

    @Test func `The number of uploads is limited`() async {
        let uploads = ResumableUploads()
        for _ in 0..<ResumableUploads.limit {
            #expect(await uploads.add(ResumableUpload(length: nil, maximumPartSize: nil)) != nil)
        }
        #expect(await uploads.add(ResumableUpload(length: nil, maximumPartSize: nil)) == nil)
    }
}
