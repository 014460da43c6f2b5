import Foundation

/// The identity, size and modification time of a file. It differs between files, and changes when a file changes; see
/// ``FileState/isSettled(at:)``.
package struct FileVersion: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64
    /// The length in bytes.
    package let size: Int64
    /// The time of the last change, in nanoseconds since 1970.
    package let modified: Int64

    package init(_ info: stat) {
        device = UInt64(truncatingIfNeeded: info.st_dev)
        inode = UInt64(info.st_ino)
        size = Int64(info.st_size)
        #if canImport(Darwin)
        let time = info.st_mtimespec
        #else
        let time = info.st_mtim
        #endif
        modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The type, owner, permissions and version of a file or directory.
package struct FileState: Sendable, Hashable {
    /// The maximum time in seconds between two changes of a file that have the same modification time: the resolution of the
    /// kernel's clock, with a margin.
    private static let tick: TimeInterval = 0.1

    package let version: FileVersion
    /// `true` if this is a regular file.
    package let isFile: Bool
    /// `true` if this is a directory.
    package let isDirectory: Bool
    /// `true` if the current user owns it.
    package let isOwn: Bool
    /// `true` if the current user owns it and no other user may write to it.
    package let isGuarded: Bool
    /// `true` if the current user owns it and no other user may read or write it.
    package let isPrivate: Bool

    /// `true` if root owns it.
    package let isOfRoot: Bool
    /// `true` if the group or other users may write to it.
    package let isWritableByOthers: Bool

    package var device: UInt64 { version.device }
    package var inode: UInt64 { version.inode }
    package var size: Int64 { version.size }

    /// Returns the state of the file at a URL; `nil` if there is none.
    ///
    /// - Parameter followingLinks: If `true`, the state of the target of a symbolic link is returned.
    package init?(_ url: URL, followingLinks: Bool = false) {
        var info = stat()
        guard (followingLinks ? stat(url.path, &info) : lstat(url.path, &info)) == 0 else { return nil }
        self.init(info)
    }

    /// Returns the state of an open file.
    package init?(descriptor: Int32) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return nil }
        self.init(info)
    }

    private init(_ info: stat) {
        version = FileVersion(info)
        isFile = info.st_mode & S_IFMT == S_IFREG
        isDirectory = info.st_mode & S_IFMT == S_IFDIR
        isOwn = info.st_uid == geteuid()
        isWritableByOthers = info.st_mode & 0o022 != 0
        isOfRoot = info.st_uid == 0
        isGuarded = isOwn && !isWritableByOthers
        isPrivate = isOwn && info.st_mode & 0o077 == 0
    }

    /// Returns `true` if every later change of the file results in a different state.
    ///
    /// - Parameter date: The time at which this state was read.
    package func isSettled(at date: Date) -> Bool {
        date.timeIntervalSince1970 - TimeInterval(version.modified) / 1e9 > Self.tick
    }

    /// Returns `true` if both are states of the same file.
    package func isSameFile(as other: FileState) -> Bool { device == other.device && inode == other.inode }
}
