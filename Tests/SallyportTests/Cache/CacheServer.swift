import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import SallyportTransport
import TestSupport

/// A client with a cache and a clock, and the scripted server that it calls.
struct CacheServer: Sendable {
    let server: ScriptedServer
    let clock: CacheClock
    let storage: any HttpCacheStorage
    let client: HttpClient

    var url: String { "http://\(server.authority)/resource" }

    func request(_ method: String = "GET", _ lines: [String] = []) async throws -> HttpResponse {
        try await client.request(request: HttpRequest(method, url, lines))
    }

    /// Returns the stored responses.
    func entries() async throws -> [HttpCacheEntry] { try await storage.allEntries() }

    /// Waits until the server has received a number of requests.
    func waitForRequests(_ count: Int) async throws {
        try await withDeadline(.patience, "request \(count)") {
            while server.requests.count < count {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }
}

/// Runs a server that sends responses on each connection, while a closure uses a client with a cache.
func withCacheServer<Result: Sendable>(
    _ responses: [String],
    storage: any HttpCacheStorage = MemoryCacheStorage(),
    _ configure: @escaping @Sendable (inout HttpClientConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (CacheServer) async throws -> Result
) async throws -> Result {
    let script = responses.flatMap { [ScriptStep.receiveRequest, .send($0)] }
    return try await withCacheServer(scripts: [script], storage: storage, configure, body)
}

/// Runs a scripted server while a closure uses a client with a cache.
func withCacheServer<Result: Sendable>(
    scripts: [Script],
    storage: any HttpCacheStorage = MemoryCacheStorage(),
    _ configure: @escaping @Sendable (inout HttpClientConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (CacheServer) async throws -> Result
) async throws -> Result {
    try await withScriptedServer(scripts) { server in
        let clock = CacheClock()
        let client = HttpClient.createClient { config in
            config.cache = clock.cache(storage)
            configure(&config)
        }
        defer { client.close() }
        return try await body(CacheServer(server: server, clock: clock, storage: storage, client: client))
    }
}

/// Returns a client with a mock transport and a cache.
func makeCachingClient(
    _ server: MockTransport,
    _ cache: HttpCache = CacheClock().cache(),
    _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
) -> HttpClient {
    HttpClient.createClient { config in
        config.transport = server
        config.cache = cache
        configure(&config)
    }
}

/// A storage of which some operations fail.
struct FailingStorage: HttpCacheStorage {
    enum Operation: CaseIterable { case digestKey, entries, open, read, begin, append, commit, change }

    let operation: Operation
    let storage = MemoryCacheStorage()
    /// A Boolean value that a test sets to `false` to end the failure.
    let isFailing = Locked(true)

    private func fail(_ operation: Operation) throws(HttpCacheStorageError) {
        if operation == self.operation, isFailing.withLock({ $0 }) { throw .unavailable("the disk is full") }
    }

    func digestKey() async throws(HttpCacheStorageError) -> Data {
        try fail(.digestKey)
        return await storage.digestKey()
    }

    func entries(for key: HttpCacheKey) async throws(HttpCacheStorageError) -> [HttpCacheEntry] {
        try fail(.entries)
        return await storage.entries(for: key)
    }

    func open(_ entry: HttpCacheEntry) async throws(HttpCacheStorageError) -> (any HttpCacheReader)? {
        try fail(.open)
        guard let reader = await storage.open(entry) else { return nil }
        return operation == .read ? DamagedReader() : reader
    }

    func begin(_ head: HttpCacheHead, for key: HttpCacheKey) async throws(HttpCacheStorageError) -> any HttpCacheWriter
    {
        try fail(.begin)
        return FailingWriter(writer: await storage.begin(head, for: key), operation: operation)
    }

    func replaceHead(of entry: HttpCacheEntry, with head: HttpCacheHead) async throws(HttpCacheStorageError) {
        try fail(.change)
        await storage.replaceHead(of: entry, with: head)
    }

    func remove(_ entry: HttpCacheEntry) async throws(HttpCacheStorageError) {
        try fail(.change)
        await storage.remove(entry)
    }

    func removeAll(of resource: String) async throws(HttpCacheStorageError) {
        try fail(.change)
        await storage.removeAll(of: resource)
    }

    func removeAll() async throws(HttpCacheStorageError) {
        try fail(.change)
        await storage.removeAll()
    }

    func allEntries() async throws(HttpCacheStorageError) -> [HttpCacheEntry] { await storage.allEntries() }
}

private struct DamagedReader: HttpCacheReader {
    func read(at offset: Int64, upTo count: Int) async throws(HttpCacheStorageError) -> Data {
        throw .damaged("another checksum")
    }

    func close() {}
}

private struct FailingWriter: HttpCacheWriter {
    let writer: any HttpCacheWriter
    let operation: FailingStorage.Operation

    func append(_ bytes: Data) async throws(HttpCacheStorageError) {
        if operation == .append { throw .tooLarge(limit: 1) }
        try await writer.append(bytes)
    }

    func commit() async throws(HttpCacheStorageError) {
        if operation == .commit { throw .unavailable("the disk is full") }
        try await writer.commit()
    }

    func abandon() async { await writer.abandon() }
}
