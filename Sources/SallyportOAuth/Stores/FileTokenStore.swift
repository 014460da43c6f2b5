import Dispatch
import Foundation
import SallyportTransport

/// A store in a file that only its owner can read, and that any number of processes can share.
///
/// Files that another user owns or can read, and symbolic links, are refused. The file is replaced atomically, after the
/// new one has been written to the disk; if a process was killed before the replacement, the next one completes it. With a
/// key, the tokens are encrypted (AES-GCM), and the client that they belong to is authenticated with them; a file in plain
/// text is then refused.
///
/// ```swift
/// let store = FileTokenStore(at: URL.homeDirectory.appending(path: ".config/myapp/tokens.json"))
/// ```
///
/// The same directory contains a lock file with the suffix `.lock`, which remains, and during a replacement a file with the
/// suffix `.new`.
public final class FileTokenStore: TokenStore {
    /// A period of exclusive access. Tasks that were created during it may continue after its end.
    private final class Access: Sendable {
        let isOver = Locked(false)
    }

    /// The exclusive accesses that the current task was created in, by their stores.
    @TaskLocal private static var accesses: [ObjectIdentifier: Access] = [:]

    private let folder: String
    private let name: String
    private let format: TokenFileFormat
    private let lockLimit: Duration
    private let mutex = AsyncMutex()
    /// The queue for blocking file I/O, which keeps it off the cooperative thread pool.
    private let queue = DispatchQueue(label: "sallyport.token-store")

    /// Creates a store. The file is not accessed yet.
    ///
    /// - Parameters:
    ///   - file: The file. Its directory is created before the first write, accessible only to its owner.
    ///   - key: The key that encrypts the tokens; `nil` for plain text.
    ///   - lockLimit: The maximum time to wait while another task or process has exclusive access.
    public init(at file: URL, key: TokenStoreKey? = nil, lockLimit: Duration = .seconds(90)) {
        folder = file.deletingLastPathComponent().path
        name = file.lastPathComponent
        format = TokenFileFormat(key: key)
        self.lockLimit = lockLimit
    }

    /// Returns the record in the file; `nil` if there is no file.
    ///
    /// - Throws: ``TokenStoreError``.
    public func load() async throws -> TokenRecord? {
        try await onQueue { [self] in
            guard access(folder, F_OK) == 0 || errno != ENOENT else { return nil }
            return try PrivateFolder(folder).record(name, format)
        }
    }

    /// Replaces the file.
    ///
    /// - Throws: ``TokenStoreError``; the file is then unchanged.
    public func save(_ record: TokenRecord) async throws {
        try await withExclusiveAccess { [self] in
            let data = try format.data(record)
            try await onQueue { [self] in
                let folder = try PrivateFolder(folder)
                try folder.write(data, as: newName)
                try folder.rename(newName, to: name)
            }
        }
    }

    /// Removes the file.
    ///
    /// - Throws: ``TokenStoreError``.
    public func delete() async throws {
        try await withExclusiveAccess { [self] in
            try await onQueue { [self] in
                let folder = try PrivateFolder(folder)
                try folder.remove(newName)
                try folder.remove(name)
            }
        }
    }

    /// Runs a closure with exclusive access to the file, among all tasks and processes.
    ///
    /// Calls within the closure have the access already and do not wait.
    ///
    /// - Throws: The error of the closure, ``TokenStoreError`` or `CancellationError`.
    public func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let identity = ObjectIdentifier(self)
        if let access = Self.accesses[identity], !access.isOver.withLock({ $0 }) { return try await body() }
        return try await mutex.withLock {
            let lock = try await onQueue { [self] in
                try PrivateFolder.create(folder)
                return try PrivateFolder(folder).openLock(name + ".lock")
            }
            try await lock.take(within: lockLimit)
            defer { lock.giveBack() }
            try await onQueue { [self] in try recover() }
            let access = Access()
            defer { access.isOver.withLock { $0 = true } }
            let accesses = Self.accesses.merging([identity: access]) { $1 }
            return try await Self.$accesses.withValue(accesses) { try await body() }
        }
    }

    private var newName: String { name + ".new" }

    /// Completes a replacement that another process began before it ended, or removes its new file if that is unusable.
    private func recover() throws(TokenStoreError) {
        let folder = try PrivateFolder(folder)
        do throws(TokenStoreError) {
            guard try folder.record(newName, format) != nil else { return }
        } catch  where error.reason == .malformed || error.needsLogin {
            return try folder.remove(newName)
        }
        try folder.rename(newName, to: name)
    }

    private func onQueue<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }
}

extension PrivateFolder {
    /// Returns the record in a file; `nil` if there is no file.
    fileprivate func record(_ name: String, _ format: TokenFileFormat) throws(TokenStoreError) -> TokenRecord? {
        guard let data = try read(name, upTo: TokenFileFormat.mostBytes) else { return nil }
        return try format.record(in: data, location: "the token file \(path)/\(name)")
    }
}

extension FileTokenStore: CustomStringConvertible {
    /// The path of the file.
    public var description: String { "tokens in \(folder)/\(name)" }
}
