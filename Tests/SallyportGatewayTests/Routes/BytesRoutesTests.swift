import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct BytesRoutesTests {
    private let bytes = PseudoRandomBytes(seed: 7)
    private let uri = "/bytes/200000?seed=7"

    @Test(arguments: [0, 1, 7, 8, 9, 65_536, 200_000])
    func `The requested number of bytes is sent with validators`(count: Int) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/bytes/\(count)?seed=7", method: .get)
            #expect(response.status == .ok)
            #expect(response.body == bytes.buffer(0..<count))
            #expect(response.headers[.contentLength] == "\(count)")
            #expect(response.headers[.acceptRanges] == "bytes")
            #expect(response.headers[.eTag] == "\"\(count)-7\"")
            #expect(response.headers[.lastModified] == "Wed, 01 Jan 2025 00:00:00 GMT")
        }
    }

    @Test(
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=1-3", 1..<4), ("bytes=199999-", 199_999..<200_000),
            ("bytes=-5", 199_995..<200_000), ("bytes=-999999", 0..<200_000), ("BYTES=65530-131080", 65_530..<131_081),
            ("bytes=13-99999999999999999999", 13..<200_000),
        ]
    )
    func `A single range is sent as partial content`(header: String, range: Range<Int>) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: uri, method: .get, headers: [.range: header])
            #expect(response.status == .partialContent)
            #expect(response.body == bytes.buffer(range))
            let expected = "bytes \(range.lowerBound)-\(range.upperBound - 1)/200000"
            #expect(response.headers[.contentRange] == expected)
            #expect(response.headers[.contentLength] == "\(range.count)")
        }
    }

    @Test(arguments: ["bytes=200000-", "bytes=-0", "bytes=200001-200002"])
    func `A range outside the bytes is refused with 416`(header: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: uri, method: .get, headers: [.range: header])
            #expect(response.status == .rangeNotSatisfiable)
            #expect(response.headers[.contentRange] == "bytes */200000")
        }
    }

    @Test(arguments: ["bytes=0-1,5-6", "lines=1-2", "bytes=5-2", "bytes=-", "bytes=a-b", "bytes=+1-2", "bytes"])
    func `All bytes are sent for an unsupported or invalid range`(header: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: uri, method: .get, headers: [.range: header])
            #expect(response.status == .ok)
            #expect(response.body.readableBytes == 200_000)
        }
    }

    @Test(
        arguments: [
            ("\"200000-7\"", HTTPResponse.Status.partialContent), ("Wed, 01 Jan 2025 00:00:00 GMT", .partialContent),
            ("\"200000-8\"", .ok), ("W/\"200000-7\"", .ok), ("Thu, 02 Jan 2025 00:00:00 GMT", .ok), ("nonsense", .ok),
        ]
    )
    func `A range is sent only if If-Range matches a strong validator`(
        condition: String,
        status: HTTPResponse.Status
    ) async throws {
        try await withRouter { client in
            let headers: HTTPFields = [.range: "bytes=0-9", .ifRange: condition]
            let response = try await client.execute(uri: uri, method: .get, headers: headers)
            #expect(response.status == status)
        }
    }

    private static let conditions: [(HTTPFields, HTTPResponse.Status)] = [
        ([.ifNoneMatch: "\"200000-7\""], .notModified),
        ([.ifNoneMatch: "\"other\", W/\"200000-7\""], .notModified),
        ([.ifNoneMatch: "*"], .notModified),
        ([.ifNoneMatch: "\"other\""], .ok),
        ([.ifModifiedSince: "Wed, 01 Jan 2025 00:00:00 GMT"], .notModified),
        ([.ifModifiedSince: "Tue, 31 Dec 2024 23:59:59 GMT"], .ok),
        ([.ifModifiedSince: "yesterday"], .ok),
        ([.ifNoneMatch: "\"other\"", .ifModifiedSince: "Wed, 01 Jan 2025 00:00:00 GMT"], .ok),
    ]

    @Test(arguments: conditions)
    func `A conditional request is answered with 304 if the validators match`(
        headers: HTTPFields,
        status: HTTPResponse.Status
    ) async throws {
        try await withRouter { client in
            for method in [HTTPRequest.Method.get, .head] {
                let response = try await client.execute(uri: uri, method: method, headers: headers)
                #expect(response.status == status)
                #expect(response.headers[.eTag] == "\"200000-7\"")
            }
        }
    }

    @Test func `A HEAD request ignores Range and returns the full length`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: uri, method: .head, headers: [.range: "bytes=0-9"])
            #expect(response.status == .ok)
            #expect(response.headers[.contentLength] == "200000")
            #expect(response.body.readableBytes == 0)
        }
    }

    @Test(arguments: ["8589934593", "-1", "many", "1e3"])
    func `An invalid number of bytes and more than 8 GiB are refused`(count: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/bytes/\(count)", method: .get)
            #expect(response.status == .badRequest)
        }
    }

    @Test func `A HEAD request for 8 GiB returns the length without producing the bytes`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/bytes/8589934592", method: .head)
            #expect(response.headers[.contentLength] == "8589934592")
        }
    }
}
