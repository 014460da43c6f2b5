import Foundation

/// What tells a file from others, and from itself before it was changed.
package struct FileVersion: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    /// When it was changed last, in nanoseconds since 1970.
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
