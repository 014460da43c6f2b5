import Foundation
import SallyportStorage

/// Stores responses in memory, as long as the storage exists.
///
/// The least recently used responses are removed to make space.
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.cache = HttpCache(storage: MemoryCacheStorage(maximumSize: 8 << 20))
/// }
/// ```
public final class MemoryCacheStorage: HttpCacheStorage, CacheInvalidationSharing {
    private struct Name: Hashable {
        let partition: String
        let variant: String

        init(_ entry: HttpCacheEntry) {
            partition = entry.key.partition
            variant = entry.head.variant
        }
    }

    private struct Stored: Sendable {
        var entry: HttpCacheEntry
        let body: Data
        var lastUse: Int64

        var size: Int64 { MemoryCacheStorage.size(of: entry.head) + Int64(body.count) }
    }

    private struct State: Sendable {
        var stored: [String: [Name: Stored]] = [:]
        /// The total size of the stored responses and of the bodies that are being stored.
        var size: Int64 = 0
        /// The responses that are being stored, by resource. Removing the responses of a resource discards them.
        var writers: [String: Set<UUID>] = [:]
        var uses: Int64 = 0

        mutating func nextUse() -> Int64 {
            uses += 1
            return uses
        }
    }

    /// The maximum length of a body, in bytes.
    public let maximumEntrySize: Int64
    private let maximumSize: Int64
    let invalidations = CacheInvalidations()
    private let key = CacheDigest.makeKey()
    private let state = Locked(State())

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - maximumSize: The maximum size of all responses in bytes, including those that are being stored.
    ///   - maximumEntrySize: The maximum length of the body of a stored response in bytes.
    public init(maximumSize: Int64 = 32 << 20, maximumEntrySize: Int64 = 4 << 20) {
        self.maximumSize = max(maximumSize, 0)
        self.maximumEntrySize = min(maximumEntrySize, self.maximumSize / 2)
    }

    /// Returns the random key of this storage.
    public func digestKey() async -> Data { key }

    /// Returns the stored responses of a key, one for each variant.
    public func entries(for key: HttpCacheKey) async -> [HttpCacheEntry] {
        state.withLock { state in
            guard let stored = state.stored[key.resource] else { return [] }
            return stored.values.map(\.entry).filter { $0.key == key }
        }
    }

    /// Opens the body of a stored response, and records that the response has been used.
    public func open(_ entry: HttpCacheEntry) async -> (any HttpCacheReader)? {
        state.withLock { state in
            guard let stored = Self.stored(entry, in: state) else { return nil }
            let use = state.nextUse()
            state.stored[entry.key.resource]?[Name(entry)]?.lastUse = use
            return MemoryCacheReader(body: stored.body)
        }
    }

    /// Begins to store a response.
    public func begin(_ head: HttpCacheHead, for key: HttpCacheKey) async -> any HttpCacheWriter {
        let identifier = UUID()
        state.withLock { _ = $0.writers[key.resource, default: []].insert(identifier) }
        return MemoryCacheWriter(self, identifier, HttpCacheEntry(key: key, head: head, bodyLength: 0))
    }

    /// Replaces the head of a stored response.
    public func replaceHead(of entry: HttpCacheEntry, with head: HttpCacheHead) async {
        state.withLock { state in
            guard var stored = Self.stored(entry, in: state) else { return }
            state.size -= stored.size
            stored.entry = HttpCacheEntry(key: entry.key, head: head, bodyLength: stored.entry.bodyLength)
            stored.lastUse = state.nextUse()
            state.size += stored.size
            state.stored[entry.key.resource]?[Name(entry)] = stored
            makeSpace(for: 0, in: &state)
        }
    }

    /// Removes a stored response, unless it has been replaced by another one.
    public func remove(_ entry: HttpCacheEntry) async {
        state.withLock { state in
            if Self.stored(entry, in: state) != nil { Self.remove(entry, from: &state) }
        }
    }

    /// Removes all stored responses of a resource. Responses of the resource that are being stored are discarded.
    public func removeAll(of resource: String) async {
        state.withLock { state in
            state.writers[resource] = nil
            for stored in (state.stored[resource] ?? [:]).values { Self.remove(stored.entry, from: &state) }
        }
    }

    /// Removes all stored responses. Responses that are being stored are discarded.
    public func removeAll() async {
        state.withLock { state in
            state.writers = [:]
            for stored in state.stored.values.flatMap(\.values) { Self.remove(stored.entry, from: &state) }
        }
    }

    /// Returns all stored responses.
    public func allEntries() async -> [HttpCacheEntry] {
        state.withLock { $0.stored.values.flatMap(\.values).map(\.entry) }
    }

    // MARK: Writing

    /// Reserves memory for a body that is being stored, and removes other responses to make space.
    fileprivate func reserve(_ count: Int) throws(HttpCacheStorageError) {
        let isReserved = state.withLock { state in
            makeSpace(for: Int64(count), in: &state)
            guard state.size + Int64(count) <= maximumSize else { return false }
            state.size += Int64(count)
            return true
        }
        if !isReserved { throw .unavailable("its memory is in use by responses that are being stored") }
    }

    /// Releases reserved memory.
    fileprivate func release(_ count: Int) {
        state.withLock { $0.size -= Int64(count) }
    }

    /// Ends a writer, and releases the memory of its body.
    ///
    /// - Parameter body: The body; `nil` if the response is discarded.
    fileprivate func end(_ writer: UUID, _ entry: HttpCacheEntry, reserved: Int, body: Data?) {
        state.withLock { state in
            let resource = entry.key.resource
            state.size -= Int64(reserved)
            guard state.writers[resource]?.remove(writer) != nil else { return }
            if state.writers[resource]?.isEmpty == true { state.writers[resource] = nil }
            guard let body else { return }
            Self.remove(entry, from: &state)
            let complete = HttpCacheEntry(key: entry.key, head: entry.head, bodyLength: Int64(body.count))
            let stored = Stored(entry: complete, body: body, lastUse: state.nextUse())
            makeSpace(for: stored.size, in: &state)
            guard state.size + stored.size <= maximumSize else { return }
            state.stored[resource, default: [:]][Name(entry)] = stored
            state.size += stored.size
        }
    }

    private func makeSpace(for size: Int64, in state: inout State) {
        guard state.size + size > maximumSize else { return }
        let uses = state.stored.values.flatMap(\.values).map { stored in
            CacheUse(identifier: stored.entry, size: stored.size, time: stored.lastUse)
        }
        let reserved = state.size - uses.reduce(0) { $0 + $1.size }
        // A tenth more, so that not each response that is stored sorts all others.
        let limit = max(0, maximumSize - maximumSize / 10 - reserved - size)
        for use in CacheUse.leastRecent(of: uses, reducingTo: limit) { Self.remove(use.identifier, from: &state) }
    }

    private static func stored(_ entry: HttpCacheEntry, in state: State) -> Stored? {
        state.stored[entry.key.resource]?[Name(entry)].flatMap { $0.entry.head.id == entry.head.id ? $0 : nil }
    }

    private static func remove(_ entry: HttpCacheEntry, from state: inout State) {
        let resource = entry.key.resource
        guard let removed = state.stored[resource]?.removeValue(forKey: Name(entry)) else { return }
        state.size -= removed.size
        if state.stored[resource]?.isEmpty == true { state.stored[resource] = nil }
    }

    private static func size(of head: HttpCacheHead) -> Int64 {
        head.fields.reduce(1024) { $0 + Int64($1.name.rawName.utf8.count + $1.value.utf8.count) + 64 }
    }
}

private struct MemoryCacheReader: HttpCacheReader {
    let body: Data

    func read(at offset: Int64, upTo count: Int) async -> Data {
        guard offset >= 0, offset < body.count else { return Data() }
        return body.dropFirst(Int(offset)).prefix(count)
    }

    func close() {}
}

private final class MemoryCacheWriter: HttpCacheWriter {
    private let storage: MemoryCacheStorage
    private let identifier: UUID
    private let entry: HttpCacheEntry
    /// The bytes so far; `nil` after the end.
    private let body = Locked<Data?>(Data())

    init(_ storage: MemoryCacheStorage, _ identifier: UUID, _ entry: HttpCacheEntry) {
        self.storage = storage
        self.identifier = identifier
        self.entry = entry
    }

    deinit {
        end(isComplete: false)
    }

    func append(_ bytes: Data) async throws(HttpCacheStorageError) {
        let length = body.withLock { $0?.count ?? 0 }
        guard Int64(length + bytes.count) <= storage.maximumEntrySize else {
            throw .tooLarge(limit: storage.maximumEntrySize)
        }
        try storage.reserve(bytes.count)
        let isOpen = body.withLock { body -> Bool in
            body?.append(bytes)
            return body != nil
        }
        // The writer was abandoned meanwhile, which has released only the bytes before these.
        if !isOpen { storage.release(bytes.count) }
    }

    func commit() async { end(isComplete: true) }

    func abandon() async { end(isComplete: false) }

    private func end(isComplete: Bool) {
        guard let bytes = body.take() else { return }
        storage.end(identifier, entry, reserved: bytes.count, body: isComplete ? bytes : nil)
    }
}
