import Foundation

/// An error of a ``RecordStore``. It contains no part of a record or key.
public struct RecordStoreError: Error, Sendable, Equatable {
    /// The kind of a failure.
    public enum Reason: Sendable, Equatable {
        /// The store cannot be read.
        case cannotRead
        /// The store cannot be written; its content is unchanged.
        case cannotWrite
        /// Other users can read, change or own the file, or it is not a regular file.
        case notPrivate
        /// The content is not a record, or a record in a later version of the format.
        case malformed
        /// The content is a record in an earlier version of the format.
        case outdated
        /// The content is larger than the maximum.
        case tooLarge
        /// The content is encrypted, and the store has no key or a different one.
        case key
        /// The content is not encrypted although the store has a key.
        case notEncrypted
        /// Another process or task held the exclusive access for too long, or changed the content at the same time.
        case busy
        /// The settings of the store cannot be used, such as the URL of a database, or its certificate and TLS do not fit them.
        case configuration
        /// The database cannot be reached, or the connection to it was lost.
        case unreachable
        /// The database did not respond in time.
        case timedOut
        /// The database accepts no writes, as a replica does.
        case readOnly
        /// The database has no space left.
        case full
        /// The database has no tables for records, or tables of another version.
        case schema
        /// The database refuses the user or the operation.
        case notPermitted
        /// The exclusive access ended before the write, and another process has changed the record. Nothing was written.
        case accessLost
    }

    /// The kind of the failure.
    public let reason: Reason
    /// A description of the failure, with advice.
    public let description: String

    /// Creates an error.
    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}

extension RecordStoreError {
    /// A Boolean value that indicates whether the content has a form that is no longer accepted, so that a new record may replace it.
    package var needsReplacement: Bool { reason == .outdated || reason == .notEncrypted }

    /// Creates the error for a failed file system operation.
    package init(_ reason: Reason, _ path: String, _ error: FileSystemError) {
        self.init(reason, "\(path) \(error)")
    }

    /// Creates the error for a file that is not private or cannot be read.
    package init(file path: String, _ error: PrivateAccessError) {
        switch error {
        case .system(let error): self.init(.cannotRead, path, error)
        case .tooLong(let maximum):
            self.init(.tooLarge, "\(path) is longer than the maximum of \(maximum) bytes")
        case .symbolicLink: self.init(.notPrivate, "\(path) is a symbolic link and is refused; use the file itself")
        case .notFile, .notDirectory:
            self.init(.notPrivate, "\(path) is not a regular file and is refused; remove it")
        case .otherOwner:
            self.init(.notPrivate, "\(path) belongs to another user and is refused; do not trust its content")
        case .accessibleToOthers, .writableByOthers:
            self.init(
                .notPrivate,
                "\(path) can be read or changed by others and is refused; chmod 600 it if nobody did"
            )
        }
    }

    /// Creates the error for a directory that is not private or cannot be opened.
    package init(directory path: String, _ error: PrivateAccessError) {
        switch error {
        case .system(let error): self.init(.cannotRead, "the folder \(path)", error)
        case .otherOwner:
            self.init(.notPrivate, "the folder \(path) belongs to another user; use a folder of your own")
        case .writableByOthers, .accessibleToOthers:
            self.init(.notPrivate, "others can write in the folder \(path): chmod 700 it, or use another")
        case .notDirectory, .notFile, .symbolicLink, .tooLong:
            self.init(.cannotRead, "\(path) is not a folder; use another path")
        }
    }
}

extension PrivateDirectory {
    /// Returns the contents of a private file in a directory that no other user can write to; `nil` if it does not exist.
    package static func contents(of file: URL, upTo maximum: Int) throws(RecordStoreError) -> Data? {
        let path = file.deletingLastPathComponent().path
        let directory: PrivateDirectory
        do throws(PrivateAccessError) {
            directory = try PrivateDirectory(path)
        } catch {
            throw RecordStoreError(directory: path, error)
        }
        do throws(PrivateAccessError) {
            return try directory.read(file.lastPathComponent, upTo: maximum)
        } catch {
            throw RecordStoreError(file: file.path, error)
        }
    }
}

extension RecordStoreError: CustomStringConvertible, LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}
