import Foundation
import SallyportStorage

/// Stores responses in files of a directory, which several processes may share.
///
/// Each response is one file, which is replaced atomically. Digests protect its head and its body: a file that was damaged is removed,
/// and its response is not used. The files of the least recently used responses are removed to make space.
///
/// The directory is created for its owner only, and refused if other users can write to it. A process that is killed leaves no more
/// than temporary files, which later processes remove.
///
/// ```swift
/// let storage = DirectoryCacheStorage(at: URL.cachesDirectory.appending(path: "com.example.myapp/http"))
/// let client = HttpClient.createClient { config in
///     config.cache = HttpCache(storage: storage)
/// }
/// ```
public final class DirectoryCacheStorage: HttpCacheStorage, CacheInvalidationSharing {
    /// The maximum length of a body that is verified completely before its first byte is used, in bytes. A damaged segment of a longer
    /// body, except the first, is an error while the body is read.
    private static let maximumVerifiedLength: Int64 = 1 << 20

    /// The maximum length of a body, in bytes.
    public let maximumEntrySize: Int64

    let invalidations = CacheInvalidations()
    private let layout: CacheLayout
    private let invalidationTimes: CacheInvalidationTimes
    private let key: CacheKeyFile
    private let eviction: CacheEviction
    private let disk = CacheDisk()
    private let decoder = StoredHeadDecoder()
    private let isChecked = Locked(false)

    /// Creates a storage. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: The directory. It is created with its parents before the first request.
    ///   - maximumSize: The maximum size of the directory in bytes. It can be exceeded by one response, and by a tenth for each process
    ///     that stores responses at the same time.
    ///   - maximumEntrySize: The maximum length of the body of a stored response in bytes.
    public init(at directory: URL, maximumSize: Int64 = 256 << 20, maximumEntrySize: Int64 = 32 << 20) {
        let maximumSize = max(maximumSize, 0)
        layout = CacheLayout(root: directory.absoluteURL)
        invalidationTimes = CacheInvalidationTimes(layout: layout)
        key = CacheKeyFile(layout)
        eviction = CacheEviction(layout, maximumSize: maximumSize)
        // Storing one response must not remove all others.
        self.maximumEntrySize = min(maximumEntrySize, maximumSize / 2)
    }

    /// Returns the key in the directory. It is created with the directory if there is none, and a damaged one is replaced, so that all
    /// processes that begin at the same time have the same key.
    public func digestKey() async throws(HttpCacheStorageError) -> Data {
        if let stored = key.stored { return stored }
        return try await disk.run { [self] () throws(HttpCacheStorageError) in
            // A directory with a key may be on a file system that cannot be written.
            if try isGuarded(), let stored = try loadKey() { return stored }
            return try makeKey()
        }
    }

    /// Returns the stored responses of a key, one for each variant. Damaged files are removed.
    public func entries(for key: HttpCacheKey) async throws(HttpCacheStorageError) -> [HttpCacheEntry] {
        try await disk.run { [self] () throws(HttpCacheStorageError) in
            guard try isUsable(for: key) else { return [] }
            return entries(in: layout.folder(key.resource)) { $0.hasPrefix(key.partition + ".") }
        }
    }

    /// Opens the body of a stored response, and records that the response has been used.
    ///
    /// - Returns: A reader; `nil` if the response has been removed, was replaced by another one, or is damaged.
    public func open(_ entry: HttpCacheEntry) async throws(HttpCacheStorageError) -> (any HttpCacheReader)? {
        try await disk.run { [self] () throws(HttpCacheStorageError) in
            guard try isUsable(for: entry.key), let found = existing(entry) else { return nil }
            let reader = DirectoryCacheReader(found.file, at: found.url, on: disk)
            guard reader.verify(upTo: Self.maximumVerifiedLength) else { return nil }
            found.folder.recordUse(of: found.url.lastPathComponent)
            return reader
        }
    }

    /// Begins to store a response.
    ///
    /// - Throws: ``HttpCacheStorageError/invalidated`` if the resource was invalidated after ``HttpCacheHead/requestTime``, also by another
    ///   process, or another storage of the same directory.
    public func begin(
        _ head: HttpCacheHead,
        for key: HttpCacheKey
    ) async throws(HttpCacheStorageError) -> any HttpCacheWriter {
        try await disk.run { [self] () throws(HttpCacheStorageError) in
            let name = try Self.name(of: head, key)
            let folder = try makeFolder(key.resource)
            // Later invalidations remove the folder.
            if invalidationTimes.isInvalidated(key.resource, since: head.requestTime) { throw .invalidated }
            return DirectoryCacheWriter(
                try fileWriter(head, for: key),
                folder: folder,
                name: name,
                limit: maximumEntrySize,
                eviction: eviction,
                disk: disk
            )
        }
    }

    /// Replaces the head of a stored response, by writing its file again.
    public func replaceHead(
        of entry: HttpCacheEntry,
        with head: HttpCacheHead
    ) async throws(HttpCacheStorageError) {
        try await disk.run { [self] () throws(HttpCacheStorageError) in
            let name = try Self.name(of: head, entry.key)
            guard try isUsable(for: entry.key), let found = existing(entry) else { return }
            let writer = try fileWriter(head, for: entry.key)
            do throws(CacheFileError) {
                try copy(found.file, with: writer) { temporary throws(FileSystemError) in
                    try found.folder.withLock { () throws(FileSystemError) in
                        // The temporary file is removed only if an error is thrown.
                        guard found.file.isAt(found.url) else {
                            throw FileSystemError(code: ENOENT, attempt: "was replaced")
                        }
                        try found.folder.move(temporary, as: name)
                    }
                }
            } catch {
                switch error {
                case .damaged: remove(damaged: found.url)
                // The response was invalidated or replaced meanwhile.
                case .system where error.isMissing: break
                case .system(let error): throw unavailable(found.url, error)
                }
            }
        }
    }

    /// Removes a stored response, unless it has been replaced by another one.
    public func remove(_ entry: HttpCacheEntry) async throws(HttpCacheStorageError) {
        try await disk.run { [self] () throws(HttpCacheStorageError) in
            guard try isUsable(for: entry.key), let folder = try? CacheFolder(layout.folder(entry.key.resource)) else {
                return
            }
            do throws(FileSystemError) {
                try folder.withLock { () throws(FileSystemError) in
                    guard let found = existing(entry) else { return }
                    try folder.remove(found.url.lastPathComponent)
                }
            } catch {
                throw unavailable(folder.url, error)
            }
        }
    }

    /// Removes all stored responses of a resource. Responses of the resource that are being stored, or that were requested before, are
    /// discarded.
    public func removeAll(of resource: String) async throws(HttpCacheStorageError) {
        try await disk.run { [self] () throws(HttpCacheStorageError) in
            guard CacheLayout.isDigest(resource) else { return }
            try makeRoot()
            var failure: FileSystemError?
            do throws(FileSystemError) { try invalidationTimes.record(resource) } catch { failure = error }
            // On a full disk, the time cannot be recorded, but files can be removed.
            try remove(layout.folder(resource))
            if let failure { throw unavailable(layout.invalidations, failure) }
        }
    }

    /// Removes all stored responses. Responses that are being stored are discarded.
    public func removeAll() async throws(HttpCacheStorageError) {
        try await disk.run { [self] () throws(HttpCacheStorageError) in
            if try isGuarded() { try remove(layout.responses) }
        }
    }

    /// Returns all stored responses. Damaged files are removed.
    public func allEntries() async throws(HttpCacheStorageError) -> [HttpCacheEntry] {
        try await disk.run { [self] () throws(HttpCacheStorageError) in
            guard try isGuarded() else { return [] }
            return layout.resourceFolders().flatMap { entries(in: $0) }
        }
    }

    // MARK: Reading

    private func entries(in folder: URL, where isIncluded: (String) -> Bool = { _ in true }) -> [HttpCacheEntry] {
        ((try? FileSystem.names(in: folder)) ?? []).filter(isIncluded).compactMap { name in
            stored(folder.appendingPathComponent(name))?.entry
        }
    }

    /// Opens the file of an entry, unless another response has replaced it.
    private func existing(_ entry: HttpCacheEntry) -> (file: CacheFile, url: URL, folder: CacheFolder)? {
        let folder = layout.folder(entry.key.resource)
        let url = folder.appendingPathComponent(CacheLayout.name(entry.key, variant: entry.head.variant))
        guard let opened = try? CacheFolder(folder), let found = stored(url),
            found.entry.head.id == entry.head.id, found.entry.key == entry.key
        else { return nil }
        return (found.file, url, opened)
    }

    /// Opens a file, and removes it if it is damaged or belongs elsewhere.
    private func stored(_ url: URL) -> (file: CacheFile, entry: HttpCacheEntry)? {
        do {
            let file = try CacheFile(url)
            let stored = try decoder.decode(file.head)
            let entry = HttpCacheEntry(key: stored.key, head: stored.head, bodyLength: file.bodyLength)
            let folder = url.deletingLastPathComponent().lastPathComponent
            guard stored.key.resource == folder,
                CacheLayout.name(stored.key, variant: stored.head.variant) == url.lastPathComponent
            else { throw CacheFileError.damaged }
            return (file, entry)
        } catch {
            // A file that cannot be read now is not used, but may be readable later.
            if case .damaged? = error as? CacheFileError { remove(damaged: url) }
            return nil
        }
    }

    private func remove(damaged url: URL) { _ = try? FileSystem.remove(url) }

    // MARK: Writing

    private func fileWriter(_ head: HttpCacheHead, for key: HttpCacheKey) throws(HttpCacheStorageError)
        -> CacheFileWriter
    {
        let data = try StoredHead(key: key, head: head).encoded()
        return CacheFileWriter(head: data, in: layout.unfinished)
    }

    /// Writes the body of a file with a new head.
    private func copy(
        _ file: CacheFile,
        with writer: CacheFileWriter,
        moving move: (URL) throws(FileSystemError) -> Void
    ) throws(CacheFileError) {
        var position: Int64 = 0
        while true {
            let bytes = try file.body(at: position, upTo: 1 << 20)
            position += Int64(bytes.count)
            do throws(FileSystemError) {
                if !bytes.isEmpty {
                    if writer.add(bytes) { try writer.writeSegments() }
                } else {
                    _ = try writer.complete(moving: move)
                    return
                }
            } catch {
                throw .system(error)
            }
        }
    }

    /// Creates the directory if it does not exist, and checks that no other user can write to it.
    private func makeRoot() throws(HttpCacheStorageError) {
        do throws(FileSystemError) {
            try PrivateDirectory.create(layout.root.path)
        } catch {
            throw unavailable(layout.root, error)
        }
        _ = try isGuarded()
    }

    /// Opens the directory of a resource, and creates it if it does not exist.
    private func makeFolder(_ resource: String) throws(HttpCacheStorageError) -> CacheFolder {
        _ = try makeKey()
        do throws(FileSystemError) {
            try PrivateDirectory.create(layout.responses.path)
            return try CacheFolder.create(layout.folder(resource))
        } catch {
            throw unavailable(layout.root, error)
        }
    }

    private func loadKey() throws(HttpCacheStorageError) -> Data? {
        do throws(FileSystemError) { return try key.load() } catch { throw unavailable(layout.key, error) }
    }

    /// Returns the key in the directory, and creates both if necessary.
    private func makeKey() throws(HttpCacheStorageError) -> Data {
        try makeRoot()
        do throws(FileSystemError) {
            try PrivateDirectory.create(layout.unfinished.path)
            return try key.store()
        } catch {
            throw unavailable(layout.root, error)
        }
    }

    /// Removes a directory at once, by renaming it first.
    private func remove(_ folder: URL) throws(HttpCacheStorageError) {
        let removed = layout.unfinished.appendingPathComponent(UUID().uuidString)
        do throws(FileSystemError) {
            try PrivateDirectory.create(layout.unfinished.path)
            try FileSystem.move(folder, to: removed, replacing: false)
        } catch {
            if error.code == ENOENT { return }
            throw unavailable(folder, error)
        }
        // What cannot be removed now is removed with temporary files.
        _ = try? FileSystem.remove(removed)
    }

    // MARK: Checks

    /// Checks the digests of a key, and the directory.
    ///
    /// - Returns: `false` if nothing is stored.
    private func isUsable(for key: HttpCacheKey) throws(HttpCacheStorageError) -> Bool {
        guard CacheLayout.isDigest(key.resource), CacheLayout.isDigest(key.partition) else { return false }
        return try isGuarded()
    }

    /// Checks once that no other user can write to the directory.
    ///
    /// - Returns: `false` if it does not exist.
    private func isGuarded() throws(HttpCacheStorageError) -> Bool {
        if isChecked.withLock({ $0 }) { return true }
        do throws(PrivateAccessError) {
            try PrivateDirectory.checkGuarded(layout.root)
        } catch {
            guard case .system(let error) = error else {
                throw .unavailable("\(layout.root.path) is not a directory that only its owner can change")
            }
            if error.code == ENOENT { return false }
            throw unavailable(layout.root, error)
        }
        isChecked.withLock { $0 = true }
        return true
    }

    private static func name(of head: HttpCacheHead, _ key: HttpCacheKey) throws(HttpCacheStorageError) -> String {
        guard [key.resource, key.partition, head.variant].allSatisfy(CacheLayout.isDigest) else {
            throw .unavailable("the key or the variant is not a digest of 64 lower-case hexadecimal digits")
        }
        return CacheLayout.name(key, variant: head.variant)
    }

    private func unavailable(_ url: URL, _ error: FileSystemError) -> HttpCacheStorageError {
        .unavailable("\(url.path) \(error)")
    }
}
