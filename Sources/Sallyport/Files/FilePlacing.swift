import Foundation

#if canImport(Darwin)
import Darwin
#endif

/// Gives a finished file its name.
enum FilePlacing {
    /// Renames a file, onto one that is there only if that may be replaced.
    ///
    /// - Throws: ``FileProblem`` with `EEXIST` if there is one that may not be replaced.
    static func move(_ source: URL, to destination: URL, replacing: Bool) throws(FileProblem) {
        let result = source.path.withCString { source in
            destination.path.withCString { destination in
                replacing ? rename(source, destination) : renameExclusively(source, destination)
            }
        }
        if result == 0 { return }
        throw .last("cannot be named")
    }

    /// Takes a file's name away; the file stays if it has another.
    static func removeName(_ url: URL) throws(FileProblem) {
        if url.path.withCString({ unlink($0) }) != 0, errno != ENOENT { throw .last("cannot be removed") }
    }

    private static func renameExclusively(_ source: UnsafePointer<CChar>, _ destination: UnsafePointer<CChar>) -> Int32
    {
        #if canImport(Darwin)
        let result = renamex_np(source, destination, UInt32(RENAME_EXCL))
        #else
        let result = renameAt2?(AT_FDCWD, source, AT_FDCWD, destination, 1) ?? unknown()
        #endif
        guard result != 0, [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { return result }
        // A file system that cannot do both at once: a second name, and then no first one.
        if link(source, destination) == 0 { return unlink(source) }
        return -1
    }

    #if !canImport(Darwin)
    private typealias RenameAt2 =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    /// The system's `renameat2`, which Swift's module of Glibc does not show.
    private static let renameAt2: RenameAt2? = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: RenameAt2.self) }

    private static func unknown() -> Int32 {
        errno = ENOSYS
        return -1
    }
    #endif
}
