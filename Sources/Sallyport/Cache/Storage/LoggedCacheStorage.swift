import Foundation
import Logging
import SallyportStorage

/// A client's storage that logs its first failure, for example because the disk is full. Calls continue without the cache.
struct LoggedCacheStorage: HttpCacheStorage {
    private let storage: any HttpCacheStorage
    private let log: FailureLog

    init(_ storage: any HttpCacheStorage, _ logger: Logger) {
        self.storage = storage
        log = FailureLog(logger)
    }

    func digestKey() async throws(HttpCacheStorageError) -> Data {
        do throws(HttpCacheStorageError) { return try await storage.digestKey() } catch { throw log(error) }
    }

    func entries(for key: HttpCacheKey) async throws(HttpCacheStorageError) -> [HttpCacheEntry] {
        do throws(HttpCacheStorageError) { return try await storage.entries(for: key) } catch { throw log(error) }
    }

    func open(_ entry: HttpCacheEntry) async throws(HttpCacheStorageError) -> (any HttpCacheReader)? {
        do throws(HttpCacheStorageError) { return try await storage.open(entry) } catch { throw log(error) }
    }

    func begin(
        _ head: HttpCacheHead,
        for key: HttpCacheKey
    ) async throws(HttpCacheStorageError) -> any HttpCacheWriter {
        do throws(HttpCacheStorageError) {
            return LoggedCacheWriter(writer: try await storage.begin(head, for: key), log: log)
        } catch {
            throw log(error)
        }
    }

    func replaceHead(
        of entry: HttpCacheEntry,
        with head: HttpCacheHead
    ) async throws(HttpCacheStorageError) {
        do throws(HttpCacheStorageError) {
            try await storage.replaceHead(of: entry, with: head)
        } catch {
            throw log(error)
        }
    }

    func remove(_ entry: HttpCacheEntry) async throws(HttpCacheStorageError) {
        do throws(HttpCacheStorageError) { try await storage.remove(entry) } catch { throw log(error) }
    }

    func removeAll(of resource: String) async throws(HttpCacheStorageError) {
        do throws(HttpCacheStorageError) { try await storage.removeAll(of: resource) } catch { throw log(error) }
    }

    func removeAll() async throws(HttpCacheStorageError) { try await storage.removeAll() }

    func allEntries() async throws(HttpCacheStorageError) -> [HttpCacheEntry] { try await storage.allEntries() }
}

private struct LoggedCacheWriter: HttpCacheWriter {
    let writer: any HttpCacheWriter
    let log: FailureLog

    func append(_ bytes: Data) async throws(HttpCacheStorageError) {
        do throws(HttpCacheStorageError) { try await writer.append(bytes) } catch { throw log(error) }
    }

    func commit() async throws(HttpCacheStorageError) {
        do throws(HttpCacheStorageError) { try await writer.commit() } catch { throw log(error) }
    }

    func abandon() async { await writer.abandon() }
}

private final class FailureLog: Sendable {
    private let logger: Logger
    private let hasLogged = Locked(false)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs the first failure, and returns the error.
    func callAsFunction(_ error: HttpCacheStorageError) -> HttpCacheStorageError {
        guard case .unavailable = error else { return error }
        let isFirst = hasLogged.withLock { hasLogged in
            defer { hasLogged = true }
            return !hasLogged
        }
        if isFirst { logger.warning("\(error); calls are made without it, and further failures are not logged") }
        return error
    }
}
