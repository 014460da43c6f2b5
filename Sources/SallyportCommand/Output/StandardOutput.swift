import Foundation

/// Standard output, for bytes.
enum StandardOutput {
    /// Whether the shell has redirected it to a file.
    static var isFile: Bool {
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    static func write(_ data: Data) async throws {
        try await BlockingCall.run {
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

    /// A reader that has gone, as in `| head`, needs no message.
    private static func failure() -> CommandFailure {
        if errno == EPIPE { return CommandFailure(.writeError) }
        return CommandFailure(.writeError, "standard output cannot be written: \(systemReason())")
    }
}
