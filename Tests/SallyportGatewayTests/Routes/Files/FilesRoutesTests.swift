import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct FilesRoutesTests {
    private struct Summary: Decodable, Equatable {
        let name: String
        let size: Int
    }

    @Test func `A stored file is returned with its validators, name and digest`() async throws {
        try await withRouter { client in
            let put = try await client.execute(uri: "/files/map.txt", method: .put, body: ByteBuffer(string: "hello"))
            #expect(put.status == .created)
            let get = try await client.execute(uri: "/files/map.txt", method: .get)
            #expect(get.text == "hello")
            #expect(get.headers[.contentType] == "text/plain")
            #expect(get.headers[.contentDisposition] == "attachment; filename=\"map.txt\"")
            #expect(get.headers[.acceptRanges] == "bytes")
            #expect(get.headers[.eTag] == put.headers[.eTag])
            #expect(get.headers[.lastModified] != nil)
            let digest = "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"
            #expect(get.headers[try #require(HTTPField.Name("Repr-Digest"))] == digest)
            let list = try await client.execute(uri: "/files", method: .get).decode([Summary].self)
            #expect(list == [Summary(name: "map.txt", size: 5)])
        }
    }

    @Test func `A range is returned with the digest of the complete file, and only if the entity tag matches`()
        async throws
    {
        try await withRouter { client in
            let put = try await client.execute(uri: "/files/a", method: .put, body: ByteBuffer(string: "hello"))
            let tag = try #require(put.headers[.eTag])
            var headers: HTTPFields = [.range: "bytes=1-3", .ifRange: tag]
            let part = try await client.execute(uri: "/files/a", method: .get, headers: headers)
            #expect(part.status == .partialContent)
            #expect(part.text == "ell")
            #expect(part.headers[.contentRange] == "bytes 1-3/5")
            #expect(part.headers[try #require(HTTPField.Name("Repr-Digest"))]?.hasPrefix("sha-256=:LPJNul") == true)
            // A date cannot tell two versions of one second apart.
            headers[.ifRange] = part.headers[.lastModified]
            let withDate = try await client.execute(uri: "/files/a", method: .get, headers: headers)
            #expect(withDate.status == .ok)
            let changed = try await client.execute(uri: "/files/a", method: .put, body: ByteBuffer(string: "HELLO"))
            #expect(changed.status == .noContent)
            headers[.ifRange] = tag
            let whole = try await client.execute(uri: "/files/a", method: .get, headers: headers)
            #expect(whole.status == .ok)
            #expect(whole.text == "HELLO")
            #expect(whole.headers[.eTag] != tag)
            headers = [.ifMatch: tag]
            let other = try await client.execute(uri: "/files/a", method: .get, headers: headers)
            #expect(other.status == .preconditionFailed)
            headers = [.range: "bytes=5-"]
            let beyond = try await client.execute(uri: "/files/a", method: .get, headers: headers)
            #expect(beyond.status == .rangeNotSatisfiable)
            #expect(beyond.headers[.contentRange] == "bytes */5")
        }
    }

    @Test(
        arguments: [
            ("sha-256=1", "sha-256"), ("sha-512=1", "sha-512"), ("sha-256=3, sha-512=10", "sha-512"),
            ("sha-512=2,sha-256=4", "sha-256"), ("md5=10, sha-512=1", "sha-512"), ("md5=10", nil), ("sha-256=0", nil),
            ("sha-256=0, sha-512=1", "sha-512"), ("sha-256=11", nil), ("sha-256", nil), ("", nil),
        ] as [(String, String?)]
    )
    func `The digest with the highest preference is returned`(wanted: String, algorithm: String?) async throws {
        try await withRouter { client in
            _ = try await client.execute(uri: "/files/a", method: .put, body: ByteBuffer(string: "hello"))
            let headers: HTTPFields = [try #require(HTTPField.Name("Want-Repr-Digest")): wanted]
            for method in [HTTPRequest.Method.get, .head] {
                let response = try await client.execute(uri: "/files/a", method: method, headers: headers)
                let digest = response.headers[try #require(HTTPField.Name("Repr-Digest"))]
                #expect(digest?.split(separator: "=").first.map(String.init) == algorithm)
                if algorithm == "sha-512" {
                    let hash = Data(SHA512.hash(data: Data("hello".utf8))).base64EncodedString()
                    #expect(digest == "sha-512=:\(hash):")
                }
            }
        }
    }

    /// The entity tag of a file that holds an x.
    private static let tagOfX = StoredFile(name: "a", contentType: "", content: ByteBuffer(string: "x"))
        .validators.entityTag

    @Test func `An entity tag does not reveal a hash of the content`() {
        let hash = Data(SHA256.hash(data: Data("x".utf8))).base64EncodedString()
        #expect(!hash.hasPrefix(Self.tagOfX.dropFirst().dropLast()))
    }

    @Test func `PUT and DELETE evaluate If-Match and If-None-Match`() async throws {
        let steps: [(HTTPRequest.Method, HTTPFields, HTTPResponse.Status)] = [
            (.put, [.ifMatch: "*"], .preconditionFailed), (.delete, [:], .notFound),
            (.put, [.ifNoneMatch: "*"], .created),
            (.put, [.ifNoneMatch: "*"], .preconditionFailed), (.put, [.ifMatch: "\"other\""], .preconditionFailed),
            (.put, [.ifMatch: "*"], .noContent), (.delete, [.ifMatch: "\"other\""], .preconditionFailed),
            // If-Match compares strongly, and If-None-Match weakly (RFC 9110, section 13.1).
            (.put, [.ifMatch: "W/\(Self.tagOfX)"], .preconditionFailed),
            (.put, [.ifNoneMatch: "W/\(Self.tagOfX)"], .preconditionFailed),
            (.put, [.ifMatch: Self.tagOfX], .noContent),
            (.delete, [:], .noContent), (.get, [:], .notFound),
        ]
        try await withRouter { client in
            for (method, headers, status) in steps {
                let body = ByteBuffer(string: "x")
                let response = try await client.execute(uri: "/files/a", method: method, headers: headers, body: body)
                #expect(response.status == status)
            }
        }
    }

    @Test(
        arguments: [
            (
                "na%C3%AFve%20%22plan%22.txt",
                "attachment; filename=\"na_ve _plan_.txt\"; filename*=UTF-8''na%C3%AFve%20%22plan%22.txt"
            ),
            ("100%25.txt", "attachment; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt"),
        ]
    )
    func `A file name that is not plain ASCII is sent in ASCII and in UTF-8`(path: String, disposition: String)
        async throws
    {
        try await withRouter { client in
            _ = try await client.execute(uri: "/files/" + path, method: .put, body: ByteBuffer(string: "x"))
            let response = try await client.execute(uri: "/files/" + path, method: .get)
            #expect(response.headers[.contentDisposition] == disposition)
        }
    }

    @Test(
        arguments: [
            "/files/..", "/files/a%2Fb", "/files/a%0Ab", "/files/a?rate=0", "/files/a?cut=-1",
        ]
    )
    func `Invalid file names and rates that would take too long are refused`(uri: String) async throws {
        try await withRouter { client in
            _ = try await client.execute(uri: "/files/a", method: .put, body: ByteBuffer(string: "x"))
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .badRequest)
        }
        try await withRouter { client in
            let long = ByteBuffer(repeating: 0, count: 601)
            _ = try await client.execute(uri: "/files/a", method: .put, body: long)
            let slow = try await client.execute(uri: "/files/a?rate=1", method: .get)
            #expect(slow.status == .badRequest)
        }
    }

    @Test func `The store holds at most 256 files, which can be replaced`() throws {
        let store = FileStore()
        let conditions = FileConditions()
        for index in 0..<256 {
            let file = StoredFile(name: "\(index)", contentType: "a/b", content: ByteBuffer())
            _ = try store.put(file, if: conditions)
        }
        let one = StoredFile(name: "one more", contentType: "a/b", content: ByteBuffer())
        expectError(\HTTPError.status.code, 507) { try store.put(one, if: conditions) }
        #expect(store.list.count == 256)
        let again = StoredFile(name: "7", contentType: "a/b", content: ByteBuffer(string: "x"))
        let isNew = try store.put(again, if: conditions).isNew
        #expect(!isNew)
    }

    @Test func `A transfer is cut at the requested byte once for each token and file`() async throws {
        try await Gateway.withRunning { address in
            let text = (0..<20_000).map { String(10_000 + $0) }.joined()
            func send(_ start: String, _ rest: String = "\r\n") async throws -> String {
                let head = "\(start) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                let answer = try await exchange(port: address.port, head + rest)
                return String(answer[(answer.range(of: "\r\n\r\n")?.upperBound ?? answer.endIndex)...])
            }
            _ = try await send("PUT /files/a", "Content-Length: \(text.utf8.count)\r\n\r\n" + text)
            let first = try await send("GET /files/a?cut=70000&token=t")
            #expect(first == text.prefix(70_000))
            let second = try await send("GET /files/a?cut=70000&token=t", "Range: bytes=70000-\r\n\r\n")
            #expect(first + second == text)
            let nothing = try await send("GET /files/a?cut=0&token=u")
            #expect(nothing.isEmpty)
            let middle = try await send("GET /files/a?cut=10&token=v", "Range: bytes=5-50\r\n\r\n")
            #expect(middle == "1000110002")
            let uncut = try await send("GET /files/a?cut=200000&token=w")
            #expect(uncut == text)
        }
    }

    @Test func `A response is sent at the requested rate`() async throws {
        try await withRouter { client in
            _ = try await client.execute(uri: "/files/a", method: .put, body: ByteBuffer(repeating: 7, count: 3000))
            let start = ContinuousClock.now
            let response = try await client.execute(uri: "/files/a?rate=20000", method: .get)
            #expect(response.body.readableBytes == 3000)
            #expect(ContinuousClock.now - start > .milliseconds(90))
        }
    }
}
