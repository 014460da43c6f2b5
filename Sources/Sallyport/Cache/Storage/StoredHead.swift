import Foundation
import SallyportStorage

/// The head of a file with a stored response: its key and the head, in JSON.
///
/// It contains the key so that a file that was renamed is detected.
struct StoredHead: Codable, Sendable {
    let key: HttpCacheKey
    let head: HttpCacheHead

    func encoded() throws(HttpCacheStorageError) -> Data {
        let data: Data
        do {
            data = try JSONEncoder().encode(self)
        } catch {
            throw .unavailable("the head cannot be encoded: \(error)")
        }
        if data.count > CacheFileFormat.maximumHeadSize {
            throw .tooLarge(limit: Int64(CacheFileFormat.maximumHeadSize))
        }
        return data
    }

    /// - Throws: ``CacheFileError/damaged`` if the data has another format.
    init(decoding data: Data) throws(CacheFileError) {
        guard let stored = try? JSONDecoder().decode(Self.self, from: data) else { throw .damaged }
        self = stored
    }

    init(key: HttpCacheKey, head: HttpCacheHead) {
        self.key = key
        self.head = head
    }
}

/// Decodes heads, and remembers some of them, because decoding JSON takes longer than reading the file from the page cache.
final class StoredHeadDecoder: Sendable {
    private static let maximumCount = 256
    /// The maximum length of a head that is remembered in bytes, which limits the memory for all of them.
    private static let maximumSize = 16 << 10

    private let decoded = Locked<[Data: StoredHead]>([:])

    /// - Throws: ``CacheFileError/damaged`` if the data has another format.
    func decode(_ data: Data) throws(CacheFileError) -> StoredHead {
        if let head = decoded.withLock({ $0[data] }) { return head }
        let head = try StoredHead(decoding: data)
        if data.count > Self.maximumSize { return head }
        decoded.withLock { decoded in
            if decoded.count == Self.maximumCount { decoded = [:] }
            decoded[data] = head
        }
        return head
    }
}
