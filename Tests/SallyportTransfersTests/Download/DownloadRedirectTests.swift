import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// Downloads whose redirects lead to another location later.
@Suite(.concurrencyLimited) struct DownloadRedirectTests {
    private static let modified = "Wed, 01 Jan 2025 00:00:00 GMT"
    private static let sent = "Wed, 01 Jan 2025 01:00:00 GMT"

    /// Returns a client for files with the same date and length, to one of which a redirect leads.
    private func client(_ files: [String: [UInt8]], place: Locked<String>, cutFirst count: Int, tag: String? = nil)
        -> (HttpClient, MockTransport)
    {
        let isFirst = Locked(true)
        let transport = MockTransport { request in
            guard let bytes = files[request.head.path ?? ""] else { return .redirect(to: place.withLock { $0 }) }
            var response = MockResponse(headers: [.lastModified: Self.modified, .date: Self.sent])
            if let tag { response.headers[.eTag] = tag }
            response.body = Data(bytes)
            let range = request.header("Range").flatMap { $0.dropFirst(6).split(separator: "-").first }.flatMap {
                Int($0)
            }
            if let range, [Self.modified, tag].contains(request.header("If-Range")) {
                response.status = .partialContent
                response.headers[.contentRange] = "bytes \(range)-\(bytes.count - 1)/\(bytes.count)"
                response.body = Data(bytes[range...])
            }
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }) {
                response.fault = .cut(after: count)
            }
            return response
        }
        let client = HttpClient.createClient { config in
            config.transport = transport
            config.redirects = .follow(limit: 3)
        }
        return (client, transport)
    }

    private func finish(from first: String, then second: String, tag: String? = nil) async throws -> [String?] {
        let files = [
            "/a": pattern(200_000, seed: 1), "/b?v=1": pattern(200_000, seed: 2), "/b?v=2": pattern(200_000, seed: 3),
            Self.signed(1): pattern(200_000, seed: 4), Self.signed(2): pattern(200_000, seed: 4),
            Self.signed(3, "&f=2"): pattern(200_000, seed: 5), Self.signed(4, "&f=3"): pattern(200_000, seed: 6),
        ]
        return try await withTemporaryDirectory { folder in
            let place = Locked(first)
            let (client, transport) = client(files, place: place, cutFirst: 100_000, tag: tag)
            let error = try #require(await failure(of: client.download(to: folder)))
            #expect(error.resumableBytes == 100_000)
            place.withLock { $0 = second }
            let file = try await client.download(to: folder).value
            if tag == nil { #expect(try Data(contentsOf: file.url) == Data(files[second] ?? [])) }
            #expect(folder.fileNames == ["map.zip"])
            return transport.requests.filter { files[$0.head.path ?? ""] != nil }.map { $0.header("Range") }
        }
    }

    /// Returns a signed URL, which differs for each number.
    private static func signed(_ number: Int, _ rest: String = "") -> String {
        "/s?Expires=\(1_700_000_000 + number)&Signature=\(number)\(rest)"
    }

    @Test func `A download resumes by date if a redirect leads to the same location with another signature`()
        async throws
    {
        #expect(try await finish(from: Self.signed(1), then: Self.signed(2)) == [nil, "bytes=100000-"])
    }

    @Test func `A download starts over if the redirect differs in more than the signature`() async throws {
        let (first, second) = (Self.signed(3, "&f=2"), Self.signed(4, "&f=3"))
        #expect(try await finish(from: first, then: second) == [nil, "bytes=100000-", nil])
        #expect(try await finish(from: Self.signed(1), then: second) == [nil, "bytes=100000-", nil])
        #expect(try await finish(from: Self.signed(1), then: "/a") == [nil, "bytes=100000-", nil])
    }

    @Test func `A download resumes after many interruptions if each redirect has another signature`() async throws {
        let bytes = pattern(200_000)
        let count = Locked(0)
        let transport = MockTransport { request in
            guard request.head.path?.hasPrefix("/s?") == true else {
                return .redirect(
                    to: Self.signed(
                        count.withLock { count in
                            count += 1; return count
                        }
                    )
                )
            }
            let range = request.header("Range").flatMap { Int($0.dropFirst(6).dropLast()) }
            var response = MockResponse(headers: [.lastModified: Self.modified, .date: Self.sent])
            response.body = Data(bytes[(range ?? 0)...])
            if let range {
                response.status = .partialContent
                response.headers[.contentRange] = "bytes \(range)-\(bytes.count - 1)/\(bytes.count)"
            }
            if bytes.count - (range ?? 0) > 20_000 { response.fault = .cut(after: 20_000) }
            return response
        }
        try await withTemporaryDirectory { folder in
            let client = HttpClient.createClient { config in
                config.transport = transport
                config.redirects = .follow(limit: 3)
            }
            let transfer = client.download(to: folder, attempts: 3)
            let file = try await transfer.value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(file.fetchedBytes == 200_000)
            #expect(transfer.currentProgress.startedOver == nil)
            #expect(count.withLock { $0 } == 10)
        }
    }

    @Test func `A download resumes by date if the redirect leads to the same location`() async throws {
        #expect(try await finish(from: "/a", then: "/a") == [nil, "bytes=100000-"])
    }

    @Test func `A download starts over if the redirect leads elsewhere, even with the same date and length`()
        async throws
    {
        #expect(try await finish(from: "/a", then: "/b?v=1") == [nil, "bytes=100000-", nil])
        #expect(try await finish(from: "/b?v=1", then: "/b?v=2") == [nil, "bytes=100000-", nil])
    }

    @Test func `A download with an entity tag resumes wherever the redirect leads`() async throws {
        #expect(try await finish(from: "/a", then: "/b?v=1", tag: "\"x\"") == [nil, "bytes=100000-"])
    }
}
