import Foundation

/// The head of a file with a stored response: its key and the head, in JSON.
///
/// It contains the key so that a file that was renamed is detected.
struct StoredHead: Codable {
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
