import Foundation

/// A file for the body of a response. It is written under a temporary name until it is complete.
struct OutputFile {
    private let path: String
    private let partialPath: String?
    private let handle: FileHandle

    /// Opens the file. A file that cannot be written is reported before anything is sent.
    init(_ path: String) throws(CommandFailure) {
        var status = stat()
        let exists = stat(path, &status) == 0
        let kind = status.st_mode & S_IFMT
        if exists, kind == S_IFDIR { throw Self.unwritable(path, "it is a directory") }
        if exists, access(path, W_OK) != 0 { throw Self.unwritable(path, systemReason()) }
        // Devices and pipes are written directly, and links are preserved.
        let isSpecial = exists && kind != S_IFREG
        self.path = exists ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
        // A unique name, so that neither other commands nor files of the user are affected.
        let suffix = String(UInt32.random(in: .min ... .max), radix: 36)
        partialPath = isSpecial ? nil : "\(self.path).\(suffix).partial"
        let flags = isSpecial ? O_WRONLY | O_TRUNC : O_CREAT | O_EXCL | O_WRONLY
        let descriptor = open(partialPath ?? path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.unwritable(partialPath ?? path, systemReason()) }
        // The new file has the permissions of the old one.
        if exists, !isSpecial { fchmod(descriptor, status.st_mode & 0o777) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ data: Data) throws(CommandFailure) {
        do {
            try handle.write(contentsOf: data)
        } catch {
            throw Self.unwritable(path, "\((error as NSError).localizedDescription)")
        }
    }

    func finish() throws(CommandFailure) {
        do {
            try handle.close()
        } catch {
            throw Self.unwritable(path, "\((error as NSError).localizedDescription)")
        }
        if let partialPath, rename(partialPath, path) != 0 { throw Self.unwritable(path, systemReason()) }
    }

    func discard() {
        if let partialPath { unlink(partialPath) }
    }

    private static func unwritable(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(.writeError, "the output file \(path) cannot be written: \(reason)")
    }
}
