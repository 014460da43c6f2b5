import Foundation
import Testing

@testable import Sallyport

/// Returns the digest that stands for a number in the keys of stored responses.
func numberedDigest(_ number: Int) -> String { String(format: "%064x", number) }

extension HttpCacheKey {
    /// Creates a key of numbered digests.
    init(_ resource: Int, of partition: Int = 1) {
        self.init(resource: numberedDigest(resource), partition: numberedDigest(partition))
    }
}

extension HttpCacheHead {
    /// Creates a head for storages, which do not interpret it.
    init(_ number: Int, variant: Int = 0) {
        self.init(
            url: "https://api.example.com/\(number)",
            variant: numberedDigest(variant),
            varyingFields: ["accept-language"],
            status: 200,
            fields: [.contentType: "text/plain", .eTag: "\"\(number)\""],
            requestTime: Date(),
            responseTime: Date()
        )
    }

    /// The body that responses with this head have in the tests: their identifier, repeated.
    func body(_ length: Int) -> Data {
        Data((0...length / 36).map { _ in id.uuidString }.joined().utf8.prefix(length))
    }
}

extension HttpCacheStorage {
    /// Stores a response, whose body is appended in pieces.
    @discardableResult
    func store(
        _ number: Int,
        of partition: Int = 1,
        variant: Int = 0,
        length: Int = 1000,
        pieces: Int = 30_000
    ) async throws -> HttpCacheEntry {
        let head = HttpCacheHead(number, variant: variant)
        let key = HttpCacheKey(number, of: partition)
        let writer = try await begin(head, for: key)
        let body = head.body(length)
        do {
            for start in stride(from: 0, to: length, by: pieces) {
                try await writer.append(body[start..<min(start + pieces, length)])
            }
            try await writer.commit()
        } catch {
            await writer.abandon()
            throw error
        }
        return HttpCacheEntry(key: key, head: head, bodyLength: Int64(length))
    }

    /// Returns the body of a stored response; `nil` if it is not available.
    func body(of entry: HttpCacheEntry, pieces: Int = 50_000) async throws -> Data? {
        guard let reader = try await open(entry) else { return nil }
        defer { reader.close() }
        var body = Data()
        while true {
            let bytes = try await reader.read(at: Int64(body.count), upTo: pieces)
            #expect(bytes.count <= pieces)
            if bytes.isEmpty { return body }
            body += bytes
        }
    }

    /// Returns the bodies of the stored responses of a resource, after comparing them with those that were stored.
    func checkedBodies(of number: Int, partition: Int = 1) async throws -> [Data] {
        var bodies: [Data] = []
        for entry in try await entries(for: HttpCacheKey(number, of: partition)) {
            guard let body = try await body(of: entry) else { continue }
            #expect(body == entry.head.body(Int(entry.bodyLength)), "wrong bytes of \(entry.head.url)")
            bodies.append(body)
        }
        return bodies
    }
}
