import Foundation
import SallyportStorage

/// A file for the body of a response. It is written under a temporary name until it is complete.
struct OutputFile {
    private let path: String
    private let partialPath: String?
    private let handle: FileHandle

    /// Opens the file, or a temporary file beside it. Do this before a request is sent, so that nothing is sent if it
    /// fails.
    ///
    /// - Throws: A failure if the file cannot be written.
    init(_ path: String) throws(CommandFailure) {
        var status = stat()
        let exists = stat(path, &status) == 0
        let kind = status.st_mode & S_IFMT
        if exists, kind == S_IFDIR { throw Self.unwritable(path, EISDIR) }
        if exists, access(path, W_OK) != 0 { throw Self.unwritable(path, errno) }
        // Devices and pipes are written directly, and links are preserved.
        let isSpecial = exists && kind != S_IFREG
        self.path = exists ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
        // Unique, so that other commands and existing files are not affected.
        let suffix = String(UInt32.random(in: .min ... .max), radix: 36)
        partialPath = isSpecial ? nil : "\(self.path).\(suffix).partial"
        let flags = isSpecial ? O_WRONLY | O_TRUNC : O_CREAT | O_EXCL | O_WRONLY
        let descriptor = open(partialPath ?? path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.unwritable(path, errno) }
        // The new file gets the permissions of the file that it replaces.
        if exists, !isSpecial { fchmod(descriptor, status.st_mode & 0o777) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ data: Data) throws(CommandFailure) {
        let code = data.withUnsafeBytes { bytes -> Int32 in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                let count = retryingOnEINTR {
                    Foundation.write(handle.fileDescriptor, piece.baseAddress, piece.count)
                }
                if count < 0 { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
        if code != 0 { throw Self.unwritable(path, code) }
    }

    /// Closes the file and moves it to its final path.
    func finish() throws(CommandFailure) {
        do {
            try handle.close()
        } catch {
            throw WriteFailure.of("the output file", path, error)
        }
        if let partialPath, rename(partialPath, path) != 0 { throw Self.unwritable(path, errno) }
    }

    /// Removes the temporary file.
    func discard() {
        if let partialPath { unlink(partialPath) }
    }

    private static func unwritable(_ path: String, _ code: Int32) -> CommandFailure {
        WriteFailure.of("the output file", path, code)
    }
}
