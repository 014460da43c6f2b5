import Foundation

/// Stores a record in a file that only its owner can read, shared by any number of processes.
///
/// A file that another user owns or can read, and a symbolic link, are refused. The file is replaced atomically, after the
/// new one is on the disk. If the process is killed in between, the next process completes the replacement. With a key, the
/// record is encrypted (AES-GCM) and its owner authenticated; a file in plain text is then refused. Without a key, an encrypted
/// file is neither read nor replaced.
///
/// ```swift
/// let store = FileTokenStore(at: URL.homeDirectory.appending(path: ".config/myapp/tokens.json"))
/// ```
///
/// The store creates two more files in the same directory: `….lock`, which remains and contains a process identifier, and
/// `….new`, which exists while the record is replaced.
public final class FileRecordStore<Record: StoredRecord>: RecordStore {
    private let directory: String
    private let name: String
    private let format: RecordFile<Record>
    private let lockLimit: Duration
    private let mutex = AsyncMutex()

    /// Creates a store. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - file: The file. Its directory is created when it is first written, for its owner only.
    ///   - key: The key of the encryption; `nil` stores the record in plain text.
    ///   - lockLimit: The maximum time to wait for exclusive access: for other tasks of this process, and then for other processes.
    public init(at file: URL, key: RecordStoreKey? = nil, lockLimit: Duration = .seconds(90)) {
        directory = file.deletingLastPathComponent().path
        name = file.lastPathComponent
        format = RecordFile(key: key)
        self.lockLimit = lockLimit
    }

    /// Returns the record in the file; `nil` if there is no file.
    ///
    /// - Throws: ``RecordStoreError``.
    public func load() async throws -> Record? {
        try await runBlocking { [self] () throws(RecordStoreError) in
            guard access(directory, F_OK) == 0 || errno != ENOENT else { return nil }
            return try record(name, in: try open())
        }
    }

    /// Replaces the file.
    ///
    /// - Throws: ``RecordStoreError``; the file is then unchanged.
    public func save(_ record: Record) async throws {
        try await withExclusiveAccess { [self] in
            try await checkReplaceable()
            let data = try format.encode(record)
            try await change("cannot be written") { [newName, name] directory throws(FileSystemError) in
                try directory.write(data, as: newName)
                try directory.rename(newName, to: name)
            }
        }
    }

    /// Checks that saving a record would not replace an encrypted file by one in plain text.
    ///
    /// - Throws: ``RecordStoreError`` with the reason ``RecordStoreError/Reason/key``.
    package func checkReplaceable() async throws(RecordStoreError) {
        guard format.key == nil else { return }
        try await runBlocking { [self] () throws(RecordStoreError) in
            guard access(path, F_OK) == 0 else { return }
            do throws(RecordStoreError) {
                _ = try record(name, in: try open())
            } catch {
                // A file that cannot be read for another reason is replaced, or the attempt to write it fails.
                if error.reason == .key { throw error }
            }
        }
    }

    /// Removes the file.
    ///
    /// - Throws: ``RecordStoreError``.
    public func delete() async throws {
        try await withExclusiveAccess { [self] in
            try await change("cannot be removed") { [newName, name] directory throws(FileSystemError) in
                try directory.remove(newName)
                try directory.remove(name)
            }
        }
    }

    /// Calls a closure while no other task and no other process calls one for the same file.
    ///
    /// Within the closure, further calls of this method on the same store run immediately.
    ///
    /// - Throws: The error of the closure, ``RecordStoreError`` or `CancellationError`.
    public func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        if ExclusiveAccess.isHeld(by: self) { return try await body() }
        let problem = RecordStoreError(
            .busy,
            "\(path) cannot be locked: other tasks of this process have held it for \(lockLimit); try again later"
        )
        return try await mutex.withLock(within: lockLimit, orThrow: problem) {
            let lock = try await runBlocking { [self] () throws(RecordStoreError) in try openLock() }
            do {
                try await lock.lock(within: lockLimit)
            } catch let error as FileLock.Timeout {
                throw RecordStoreError(
                    .busy,
                    "\(error.holder) has held \(lockPath) for \(error.limit); end it if it hangs, and try again"
                )
            } catch let error as FileSystemError {
                throw RecordStoreError(.cannotWrite, "the file \(lockPath)", error)
            }
            defer { lock.unlock() }
            try await runBlocking { [self] () throws(RecordStoreError) in try recover() }
            return try await ExclusiveAccess.hold(for: self, body)
        }
    }

    private var path: String { "\(directory)/\(name)" }
    private var lockPath: String { path + ".lock" }
    private var newName: String { name + ".new" }

    private func open() throws(RecordStoreError) -> PrivateDirectory {
        do throws(PrivateAccessError) {
            return try PrivateDirectory(directory)
        } catch {
            throw RecordStoreError(directory: directory, error)
        }
    }

    private func openLock() throws(RecordStoreError) -> FileLock {
        do throws(FileSystemError) {
            try PrivateDirectory.create(directory)
        } catch {
            throw RecordStoreError(.cannotWrite, "the folder \(directory)", error)
        }
        let opened = try open()
        do throws(PrivateAccessError) {
            return try opened.openLock(name + ".lock")
        } catch {
            if case .system(let error) = error { throw RecordStoreError(.cannotWrite, lockPath, error) }
            throw RecordStoreError(file: lockPath, error)
        }
    }

    /// Completes the replacement that a killed process began, or removes a new file that cannot be used.
    private func recover() throws(RecordStoreError) {
        let directory = try open()
        var isUsable = true
        do throws(RecordStoreError) {
            guard try record(newName, in: directory) != nil else { return }
        } catch {
            guard error.reason == .malformed || error.needsReplacement else { throw error }
            isUsable = false
        }
        do throws(FileSystemError) {
            if isUsable { try directory.rename(newName, to: name) } else { try directory.remove(newName) }
        } catch {
            throw RecordStoreError(.cannotWrite, "\(path) cannot be written: \(error.explanation)")
        }
    }

    private func record(_ name: String, in directory: PrivateDirectory) throws(RecordStoreError) -> Record? {
        let path = "\(self.directory)/\(name)"
        let data: Data?
        do throws(PrivateAccessError) {
            data = try directory.read(name, upTo: RecordFile<Record>.maximumSize)
        } catch {
            throw RecordStoreError(file: path, error)
        }
        guard let data else { return nil }
        return try format.decode(data, location: "the \(Record.format.noun) file \(path)")
    }

    /// Calls a closure that changes files in the directory, off the cooperative pool.
    ///
    /// - Parameter problem: The attempted operation, for the error.
    private func change(
        _ problem: String,
        _ body: @escaping @Sendable (PrivateDirectory) throws(FileSystemError) -> Void
    ) async throws(RecordStoreError) {
        try await runBlocking { [self] () throws(RecordStoreError) in
            let directory = try open()
            do throws(FileSystemError) {
                try body(directory)
            } catch {
                throw RecordStoreError(.cannotWrite, "\(path) \(problem): \(error.explanation)")
            }
        }
    }
}

extension FileRecordStore: CustomStringConvertible {
    /// The kind of the record and the path of the file.
    public var description: String { "\(Record.format.noun)s in \(path)" }
}
