import Dispatch
import Foundation
import SallyportTransport

/// Keeps tokens in a file that only its owner can read, shared by any number of processes.
///
/// A file that another user owns or can read, and a symbolic link, are refused. The file is replaced atomically, after the
/// new one has reached the disk; a new file that a killed process had completely written is used by the next one. With a
/// key, the tokens are encrypted (AES-GCM), and the client that they belong to is authenticated with them; a file in plain
/// text is then refused.
///
/// ```swift
/// let store = FileTokenStore(at: URL.homeDirectory.appending(path: ".config/myapp/tokens.json"))
/// ```
///
/// Beside the file there are `….lock`, which is empty but for a number and stays, and for moments `….new`.
public final class FileTokenStore: TokenStore {
    /// An exclusive access, which tasks that began in it may outlive.
    private final class Access: Sendable {
        let isOver = Locked(false)
    }

    /// The stores that the present task has, or had, exclusive access to.
    @TaskLocal private static var owned: [ObjectIdentifier: Access] = [:]

    private let folder: String
    private let name: String
    private let format: TokenFileFormat
    private let lockLimit: Duration
    private let mutex = AsyncMutex()
    /// Where the disk is waited for, so that no thread of Swift's is.
    private let queue = DispatchQueue(label: "sallyport.token-store")

    /// Makes a store. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - file: The file. Its folder is made when it is first written, for its owner alone.
    ///   - key: Encrypts the tokens; `nil` leaves them readable to their owner.
    ///   - lockLimit: How long to wait while others have exclusive access.
    public init(at file: URL, key: TokenStoreKey? = nil, lockLimit: Duration = .seconds(90)) {
        folder = file.deletingLastPathComponent().path
        name = file.lastPathComponent
        format = TokenFileFormat(key: key)
        self.lockLimit = lockLimit
    }

    /// What the file holds; `nil` if there is none.
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
    /// - Throws: ``TokenStoreError``, and then the file is as it was.
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

    /// Runs a closure while no other task and no other process runs one for the same file.
    ///
    /// A closure that asks for it again has it already.
    ///
    /// - Throws: What the closure throws, ``TokenStoreError`` or `CancellationError`.
    public func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let identity = ObjectIdentifier(self)
        if let access = Self.owned[identity], !access.isOver.withLock({ $0 }) { return try await body() }
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
            return try await Self.$owned.withValue(Self.owned.merging([identity: access]) { $1 }) { try await body() }
        }
    }

    private var newName: String { name + ".new" }

    /// Completes the replacement that a process had begun when it ended, or removes a new file that cannot be used.
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
    /// The record that a file holds; `nil` if there is none.
    fileprivate func record(_ name: String, _ format: TokenFileFormat) throws(TokenStoreError) -> TokenRecord? {
        guard let data = try read(name, upTo: TokenFileFormat.mostBytes) else { return nil }
        return try format.record(in: data, place: "the token file \(path)/\(name)")
    }
}

extension FileTokenStore: CustomStringConvertible {
    /// Where the tokens are.
    public var description: String { "tokens in \(folder)/\(name)" }
}
