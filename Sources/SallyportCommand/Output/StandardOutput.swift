import Foundation
import SallyportStorage

/// Standard output.
enum StandardOutput {
    /// A Boolean value that indicates whether standard output is redirected to a file.
    static var isFile: Bool {
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    static func write(_ data: Data) async throws {
        try await runAbandonable {
            try data.withUnsafeBytes { bytes in
                var written = 0
                while written < bytes.count {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                    let count = Foundation.write(STDOUT_FILENO, rest.baseAddress, rest.count)
                    if count >= 0 {
                        written += count
                    } else if errno == EAGAIN {
                        DescriptorWait.wait(for: Int16(POLLOUT), on: STDOUT_FILENO)
                    } else if errno != EINTR {
                        throw failure()
                    }
                }
            }
        }
    }

    /// Writes the text that `print` has stored in its buffer. A reader that has closed the pipe, as in `| head`, is no error.
    static func flush() throws(CommandFailure) {
        if fflush(nil) != 0, errno != EPIPE { throw failure() }
    }

    /// Returns the failure of a write. If the reader has closed the pipe, as in `| head`, its message is empty.
    private static func failure() -> CommandFailure {
        if errno == EPIPE { return CommandFailure(.writeError) }
        if errno == ENOSPC || errno == EDQUOT { return WriteFailure.fullDisk("standard output") }
        return CommandFailure(.writeError, "standard output cannot be written: \(systemReason())")
    }
}

/// Waits until a non-blocking descriptor is ready. Another process that shares a descriptor may have made it non-blocking.
enum DescriptorWait {
    static func wait(for events: Int16, on descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: events, revents: 0)
        _ = poll(&request, 1, -1)
    }
}
