import Foundation

/// What tells a version of a file, or of a folder, from others.
struct FileState: Sendable, Hashable {
    /// How long a time of change can stand still while changes go on: the tick of a kernel's clock, and room.
    private static let tick: TimeInterval = 0.1

    let device: UInt64
    let inode: UInt64
    let size: Int64
    /// Whether it is a plain file.
    let isFile: Bool
    /// Whether nobody but the owner, who is the present user, may read or write it.
    let isPrivate: Bool
    private let seconds: Int
    private let nanoseconds: Int

    /// - Returns: `nil` if there is nothing of that name. A symbolic link is not followed.
    init?(_ url: URL) {
        var info = stat()
        guard lstat(url.path, &info) == 0 else { return nil }
        self.init(info)
    }

    /// The state of an open file.
    init?(descriptor: Int32) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return nil }
        self.init(info)
    }

    private init(_ info: stat) {
        device = UInt64(truncatingIfNeeded: info.st_dev)
        inode = UInt64(info.st_ino)
        size = Int64(info.st_size)
        isFile = info.st_mode & S_IFMT == S_IFREG
        isPrivate = info.st_uid == geteuid() && info.st_mode & 0o077 == 0
        #if canImport(Darwin)
        let time = info.st_mtimespec
        #else
        let time = info.st_mtim
        #endif
        seconds = Int(time.tv_sec)
        nanoseconds = Int(time.tv_nsec)
    }

    /// Whether a change that comes after this state was taken is sure to give another state.
    ///
    /// - Parameter date: When it was taken, by the system's clock.
    func isSettled(at date: Date) -> Bool {
        let changed = TimeInterval(seconds) + TimeInterval(nanoseconds) / 1e9
        return date.timeIntervalSince1970 - changed > Self.tick
    }

    /// Whether both are names of the same file.
    func isSameFile(as other: FileState) -> Bool { device == other.device && inode == other.inode }
}
