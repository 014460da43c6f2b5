import Foundation

/// What a file, or a folder, is like.
package struct FileState: Sendable, Hashable {
    /// How long a time of change can stand still while changes go on: the tick of a kernel's clock, and room.
    private static let tick: TimeInterval = 0.1

    package let version: FileVersion
    /// Whether it is a plain file.
    package let isFile: Bool
    /// Whether it is a folder.
    package let isFolder: Bool
    /// Whether the present user owns it.
    package let isOwn: Bool
    /// Whether nobody but the present user, who owns it, may write in it.
    package let isGuarded: Bool
    /// Whether nobody but the present user, who owns it, may read or write it.
    package let isPrivate: Bool

    package var device: UInt64 { version.device }
    package var inode: UInt64 { version.inode }
    package var size: Int64 { version.size }

    /// - Parameter followingLinks: Whether it is what a symbolic link leads to, and not the link.
    /// - Returns: `nil` if there is nothing of that name.
    package init?(_ url: URL, followingLinks: Bool = false) {
        var info = stat()
        guard (followingLinks ? stat(url.path, &info) : lstat(url.path, &info)) == 0 else { return nil }
        self.init(info)
    }

    /// The state of an open file.
    package init?(descriptor: Int32) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return nil }
        self.init(info)
    }

    private init(_ info: stat) {
        version = FileVersion(info)
        isFile = info.st_mode & S_IFMT == S_IFREG
        isFolder = info.st_mode & S_IFMT == S_IFDIR
        isOwn = info.st_uid == geteuid()
        isGuarded = isOwn && info.st_mode & 0o022 == 0
        isPrivate = isOwn && info.st_mode & 0o077 == 0
    }

    /// Whether a change that comes after this state was taken is sure to give another state.
    ///
    /// - Parameter date: When it was taken, by the system's clock.
    package func isSettled(at date: Date) -> Bool {
        date.timeIntervalSince1970 - TimeInterval(version.modified) / 1e9 > Self.tick
    }

    /// Whether both are names of the same file.
    package func isSameFile(as other: FileState) -> Bool { device == other.device && inode == other.inode }
}
