import Foundation
import SallyportStorage

/// The names of the files and directories of a cache's directory.
struct CacheLayout: Sendable {
    let root: URL

    /// The directory with a directory for each resource, which contains a file for each partition and variant.
    var responses: URL { root.appendingPathComponent("responses", isDirectory: true) }

    /// The directory for files that are being written, and for directories that are being removed.
    var unfinished: URL { root.appendingPathComponent("unfinished", isDirectory: true) }

    /// The file with the key of digests; see ``CacheKeyFile``.
    var key: URL { root.appendingPathComponent("key") }

    /// The file that the process locks that removes files to make space.
    var lock: URL { root.appendingPathComponent("lock") }

    /// The directory with the times of invalidations; see ``CacheInvalidationTimes``.
    var invalidations: URL { root.appendingPathComponent("invalidations", isDirectory: true) }

    /// Returns the directory of a resource.
    func folder(_ resource: String) -> URL { responses.appendingPathComponent(resource, isDirectory: true) }

    /// Returns the directories of all resources.
    func resourceFolders() -> [URL] {
        ((try? FileSystem.names(in: responses)) ?? []).map(folder)
    }

    /// Returns the name of the file with a stored response, in the directory of its resource.
    static func name(_ key: HttpCacheKey, variant: String) -> String { "\(key.partition).\(variant)" }

    /// Returns a Boolean value that indicates whether text consists of 64 lower-case hexadecimal digits, so that it can be part of a path.
    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// The open directory of a resource.
///
/// A file cannot be moved into it after the directory has been removed. Thus a response that was requested before the stored
/// responses of its resource were invalidated is not stored afterwards.
final class CacheFolder: Sendable {
    /// The maximum time to wait for the lock, which is held only while a file is examined and renamed.
    private static let lockLimit = Duration.seconds(1)

    let url: URL
    private let descriptor: Int32
    private let lock: FileLock

    /// Opens an existing directory.
    init(_ url: URL) throws(FileSystemError) {
        self.url = url
        descriptor = retryingOnEINTR { open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .last("cannot be opened") }
        // The lock closes the directory.
        lock = FileLock(descriptor: descriptor)
    }

    /// Opens a directory, and creates it if it does not exist.
    static func create(_ url: URL) throws(FileSystemError) -> CacheFolder {
        // The number is limited because another process could remove each directory that is created.
        for _ in 0..<100 {
            guard mkdir(url.path, 0o700) == 0 || errno == EEXIST else { throw .last("cannot be created") }
            do throws(FileSystemError) {
                return try CacheFolder(url)
            } catch {
                // Another process has removed the directory, or it is not a directory.
                if error.code == ENOTDIR { try FileSystem.removeName(url) } else if error.code != ENOENT { throw error }
            }
        }
        throw FileSystemError(code: EEXIST, attempt: "cannot be created because another process keeps removing it")
    }

    /// Calls a closure while no other calls one for the same directory.
    func withLock<Value>(_ body: () throws(FileSystemError) -> Value) throws(FileSystemError) -> Value {
        do {
            try lock.lockBlocking(within: Self.lockLimit)
        } catch let error as FileSystemError {
            throw error
        } catch {
            throw FileSystemError(code: EWOULDBLOCK, attempt: "is locked by another process, and cannot be changed")
        }
        defer { lock.unlock() }
        return try body()
    }

    /// Moves a file into the directory, as the most recently used.
    ///
    /// - Throws: ``FileSystemError``, with `ENOENT` if the directory has been removed.
    func move(_ file: URL, as name: String) throws(FileSystemError) {
        _ = try? FileSystem.touch(file.path)
        guard renameat(AT_FDCWD, file.path, descriptor, name) == 0 else { throw .last("cannot be written") }
    }

    /// Records that a file has been used.
    func recordUse(of name: String) { _ = try? FileSystem.touch(name, in: descriptor) }

    /// Removes a file.
    func remove(_ name: String) throws(FileSystemError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw .last("cannot be removed") }
    }
}
