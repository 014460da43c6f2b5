import Foundation
import SallyportStorage

/// The file with the secret key of a directory's digests, which all processes with the directory share.
///
/// A process creates the key before its first request, and adopts the one that another process has stored first. A file that is
/// damaged, or that other users can read, is replaced: the responses that were stored with its key are not found any more.
final class CacheKeyFile: Sendable {
    private enum Content {
        case missing
        case damaged
        case key(Data)
    }

    private static let size = 32
    /// The maximum time to wait for the lock, which is held only while the file is replaced or the directory examined.
    private static let lockLimit = Duration.seconds(2)

    private let layout: CacheLayout
    private let state = Locked((key: CacheDigest.makeKey(), isStored: false))

    init(_ layout: CacheLayout) {
        self.layout = layout
    }

    /// The key of the file as it was last read or written; `nil` before that.
    var stored: Data? { state.withLock { $0.isStored ? $0.key : nil } }

    /// Returns the key of the file, which is created if it does not exist, and replaced if it is damaged. Blocks for the disk.
    ///
    /// All processes that call it at the same time receive the same key.
    @discardableResult
    func store() throws(FileSystemError) -> Data {
        switch try content() {
        case .key(let key): adopt(key)
        case .missing: try create(replacing: false)
        case .damaged:
            // Several processes may have found the damage. Only one replaces the file.
            let lock = try FileLock(layout.lock)
            do { try lock.lockBlocking(within: Self.lockLimit) } catch {
                throw error as? FileSystemError ?? FileSystemError(code: EWOULDBLOCK, attempt: "cannot be replaced")
            }
            defer { lock.unlock() }
            if case .key(let key) = try content() { adopt(key) } else { try create(replacing: true) }
        }
        return state.withLock { $0.key }
    }

    private func create(replacing: Bool) throws(FileSystemError) {
        let key = state.withLock { $0.key }
        let temporary = layout.unfinished.appendingPathComponent(UUID().uuidString)
        do throws(FileSystemError) {
            try OpenedFile(temporary, flags: O_CREAT | O_EXCL, mode: 0o600).write(key, at: 0)
            try FileSystem.move(temporary, to: layout.key, replacing: replacing)
            adopt(key)
        } catch {
            unlink(temporary.path)
            guard error.code == EEXIST, case .key(let stored) = try content() else { throw error }
            // Another process has stored its key.
            adopt(stored)
        }
    }

    /// Returns the key of the file; `nil` if there is no valid file. Blocks for the disk.
    func load() throws(FileSystemError) -> Data? {
        guard case .key(let key) = try content() else { return nil }
        adopt(key)
        return key
    }

    private func adopt(_ key: Data) { state.withLock { $0 = (key, true) } }

    private func content() throws(FileSystemError) -> Content {
        do throws(PrivateAccessError) {
            guard let data = try PrivateFile.read(layout.key.path, upTo: Self.size) else { return .missing }
            return data.count == Self.size ? .key(data) : .damaged
        } catch {
            if case .system(let error) = error { throw error }
            return .damaged
        }
    }
}
