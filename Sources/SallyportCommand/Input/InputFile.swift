import Foundation

/// A file that is to be read, checked before anything is sent.
struct InputFile {
    /// Whether it is a file on a disk whose size tells how much there is to read: not a pipe, a device, or a file of
    /// `/proc`, which all have the size 0.
    let isRegular: Bool
    /// Whether it is a file of the size 0, which may have bytes all the same.
    let isEmpty: Bool

    /// - Throws: A failure that names the file and what is wrong with it.
    init(_ path: String) throws(CommandFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.unreadable(path, systemReason()) }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw Self.unreadable(path, "it is a directory") }
        guard access(path, R_OK) == 0 else { throw Self.unreadable(path, systemReason()) }
        isRegular = kind == S_IFREG && status.st_size > 0
        isEmpty = kind == S_IFREG && status.st_size == 0
    }

    static func unreadable(_ path: String, _ reason: String) -> CommandFailure {
        let name = path == "-" ? "standard input" : "the file \(path)"
        return CommandFailure(.unreadableInput, "\(name) cannot be read: \(reason)")
    }
}
