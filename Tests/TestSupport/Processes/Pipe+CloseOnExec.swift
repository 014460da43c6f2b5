import Foundation

extension Pipe {
    /// Creates a pipe whose ends no process inherits, except as its standard input or output.
    ///
    /// Otherwise a process that another thread starts at the same time can inherit the writing end, and the reader waits for
    /// the end of that process, too.
    public static func closedOnExec() -> Pipe {
        let pipe = Pipe()
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }
}
