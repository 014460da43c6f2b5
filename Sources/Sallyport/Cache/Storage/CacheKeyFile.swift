import Foundation
import SallyportStorage

/// The file with the secret key of a directory's digests, which all processes with the directory share.
///
/// A process creates the key when it stores its first response, and adopts the one that another process has stored first. A file that is
/// damaged, or that other users can read, is replaced: the responses that were stored with its key are not found any more.
final class CacheKeyFile: Sendable {
    private enum Content {
        case missing
        case damaged
        case key(Data)
    }

    private static let size = 32

    private let layout: CacheLayout
    private let state = Locked((key: CacheDigest.makeKey(), isStored: false))

    init(_ layout: CacheLayout) {
        self.layout = layout
    }

    /// The key of the file as it was last read or written; `nil` before that.
    var stored: Data? { state.withLock { $0.isStored ? $0.key : nil } }

    /// The key of the file; a new random key if there is no valid file, which ``store()`` then writes.
    var current: Data { state.withLock { $0.key } }

    /// Reads the file, and returns ``current``. Blocks for the disk.
    func load() throws(FileSystemError) -> Data {
        if case .key(let key) = try content() { adopt(key) }
        return current
    }

    /// Reads the file, and creates it if it does not exist or is damaged. Blocks for the disk.
    func store() throws(FileSystemError) {
        let found = try content()
        if case .key(let key) = found { return adopt(key) }
        let isDamaged = if case .damaged = found { true } else { false }
        let key = current
        let temporary = layout.unfinished.appendingPathComponent(UUID().uuidString)
        do throws(FileSystemError) {
            try OpenedFile(temporary, flags: O_CREAT | O_EXCL, mode: 0o600).write(key, at: 0)
            try FileSystem.move(temporary, to: layout.key, replacing: isDamaged)
            adopt(key)
        } catch {
            unlink(temporary.path)
            guard error.code == EEXIST else { throw error }
            // Another process has stored its key.
            _ = try load()
        }
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
