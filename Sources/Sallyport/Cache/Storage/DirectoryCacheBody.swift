import Foundation
import SallyportStorage

/// Reads the body of a stored response from its file.
final class DirectoryCacheReader: HttpCacheReader {
    private struct State: Sendable {
        /// The file; `nil` after the reader was closed.
        var file: CacheFile?
        /// The verified body, if it is short.
        var body: Data?
    }

    private let url: URL
    private let disk: CacheDisk
    private let state: Locked<State>

    init(_ file: CacheFile, at url: URL, on disk: CacheDisk) {
        self.url = url
        self.disk = disk
        state = Locked(State(file: file))
    }

    /// Verifies a short body completely and reads it to memory, or the first segment of a longer one. Blocks for the disk.
    ///
    /// - Parameter limit: The maximum length of a short body.
    /// - Returns: `false` if the file is damaged or cannot be read.
    func verify(upTo limit: Int64) -> Bool {
        guard let file = state.withLock({ $0.file }) else { return false }
        do throws(HttpCacheStorageError) {
            if file.bodyLength > limit {
                _ = try bytes(of: file, at: 0, upTo: 1)
            } else {
                let body = try bytes(of: file, at: 0, upTo: Int(file.bodyLength))
                state.withLock { $0 = State(file: nil, body: body) }
            }
            return true
        } catch {
            return false
        }
    }

    func read(at offset: Int64, upTo count: Int) async throws(HttpCacheStorageError) -> Data {
        let (file, body) = state.withLock { ($0.file, $0.body) }
        if let body {
            guard offset >= 0, offset < body.count else { return Data() }
            return body.dropFirst(Int(offset)).prefix(count)
        }
        guard let file else { throw .unavailable("the stored response was closed") }
        return try await disk.run { [self] () throws(HttpCacheStorageError) in
            try bytes(of: file, at: offset, upTo: count)
        }
    }

    func close() {
        state.withLock { $0 = State() }
    }

    /// Reads bytes, and removes the file if they are damaged.
    private func bytes(of file: CacheFile, at offset: Int64, upTo count: Int) throws(HttpCacheStorageError) -> Data {
        do throws(CacheFileError) {
            return try file.body(at: offset, upTo: count)
        } catch {
            if case .system(let error) = error { throw .unavailable("\(url.path) \(error)") }
            if file.isAt(url) { _ = try? FileSystem.remove(url) }
            throw .damaged("the digest of a segment of \(url.path) differs")
        }
    }
}

/// Writes the body of a response that is being stored to its file.
final class DirectoryCacheWriter: HttpCacheWriter {
    private let file: CacheFileWriter
    private let folder: CacheFolder
    private let name: String
    private let limit: Int64
    private let eviction: CacheEviction
    private let disk: CacheDisk

    /// - Parameters:
    ///   - folder: The directory of the resource.
    ///   - name: The name of the complete file.
    ///   - limit: The maximum length of the body in bytes.
    init(
        _ file: CacheFileWriter,
        folder: CacheFolder,
        name: String,
        limit: Int64,
        eviction: CacheEviction,
        disk: CacheDisk
    ) {
        self.file = file
        self.folder = folder
        self.name = name
        self.limit = limit
        self.eviction = eviction
        self.disk = disk
    }

    func append(_ bytes: Data) async throws(HttpCacheStorageError) {
        guard Int64(bytes.count) <= limit - file.bodyLength else { throw .tooLarge(limit: limit) }
        guard file.add(bytes) else { return }
        try await run { [file] () throws(FileSystemError) in try file.writeSegments() }
    }

    /// Renames the file. Has no effect if the stored responses of the resource have been removed since the writer was created.
    func commit() async throws(HttpCacheStorageError) {
        try await run { [file, folder, name, eviction] () throws(FileSystemError) in
            var isInvalidated = false
            do throws(FileSystemError) {
                let length = try file.complete { temporary throws(FileSystemError) in
                    do throws(FileSystemError) {
                        try folder.withLock { () throws(FileSystemError) in try folder.move(temporary, as: name) }
                    } catch {
                        isInvalidated = error.code == ENOENT
                        throw error
                    }
                }
                eviction.recordStored(length)
            } catch {
                guard isInvalidated else { throw error }
                file.discard()
            }
        }
    }

    func abandon() async {
        // If the disk does not respond, the file is removed when the writer is released, or with the files of killed processes.
        await CacheDisk.$callEnd.withValue(nil) {
            _ = try? await disk.run { [file] () throws(HttpCacheStorageError) in file.discard() }
        }
    }

    private func run(
        _ body: @escaping @Sendable () throws(FileSystemError) -> Void
    ) async throws(HttpCacheStorageError) {
        try await disk.run { [folder] () throws(HttpCacheStorageError) in
            do throws(FileSystemError) {
                try body()
            } catch {
                throw .unavailable("\(folder.url.path) \(error)")
            }
        }
    }
}
