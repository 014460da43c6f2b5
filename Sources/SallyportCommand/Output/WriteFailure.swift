import Foundation
import Sallyport
import SallyportStorage

/// Creates the failures of files and folders that cannot be created or written. All commands use the same messages.
enum WriteFailure {
    /// Returns the failure of a system call.
    ///
    /// - Parameters:
    ///   - kind: The kind of the file, such as "the cookie file".
    ///   - path: The path of the file or folder.
    ///   - code: The value of `errno`.
    ///   - attempt: The attempted operation.
    static func of(
        _ kind: String,
        _ path: String,
        _ code: Int32,
        attempt: String = "cannot be written"
    ) -> CommandFailure {
        let reason =
            switch code {
            case ENOSPC, EDQUOT: ""
            case ENOENT: missingFolder(of: path)
            case EISDIR: "it is a directory"
            case EEXIST: "there is a file with this name"
            case ENOTDIR: "a part of its path is a file, not a folder"
            default: FileSystemError(code: code, attempt: attempt).explanation
            }
        if reason.isEmpty { return fullDisk(path) }
        return CommandFailure(.writeError, "\(kind) \(path) \(attempt): \(reason)")
    }

    /// Returns the failure for an error of the file system or of Foundation.
    static func of(
        _ kind: String,
        _ path: String,
        _ error: any Error,
        attempt: String = "cannot be written"
    ) -> CommandFailure {
        if let error = error as? FileSystemError { return of(kind, path, error.code, attempt: error.attempt) }
        if let code = systemCode(of: error) { return of(kind, path, code, attempt: attempt) }
        return CommandFailure(.writeError, "\(kind) \(path) \(attempt): \((error as NSError).localizedDescription)")
    }

    /// Returns the failure of a file on a full disk.
    static func fullDisk(_ path: String) -> CommandFailure {
        CommandFailure(.writeError, "the disk of \(path) is full; free some space, and run the command again")
    }

    /// Checks that the folder of a file exists, and that files can be created in it.
    ///
    /// - Throws: A failure with the problem.
    static func checkFolder(of kind: String, _ path: String) throws(CommandFailure) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if access(folder, W_OK | X_OK) != 0 { throw of(kind, path, errno) }
        if !FileNames.isFolder(folder) { throw of(kind, path, ENOTDIR) }
    }

    /// Checks that a download to a path would not replace a device, pipe or socket.
    ///
    /// - Throws: A failure with the command that writes to it.
    static func checkKind(of path: String) throws(CommandFailure) {
        let state = FileState(URL(fileURLWithPath: path), followingLinks: true)
        guard let state, !state.isFile, !state.isDirectory else { return }
        let advice = "to write to it, use sallyport get URL -o \(ShellText.quoted(path))"
        throw CommandFailure(.writeError, "the file \(path) cannot be written: it is not a regular file; \(advice)")
    }

    /// Returns the reason for a path that does not exist: its folder is missing, or has been removed since.
    private static func missingFolder(of path: String) -> String {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if access(folder, F_OK) == 0 { return "it does not exist" }
        return "there is no folder \(folder); create it first: mkdir -p \(ShellText.quoted(folder))"
    }

    /// Returns the value of `errno` for an error of Foundation; `nil` if it is unknown.
    private static func systemCode(of error: any Error) -> Int32? {
        if let error = error as? POSIXError { return error.code.rawValue }
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(clamping: error.code) }
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error { return systemCode(of: underlying) }
        guard error.domain == NSCocoaErrorDomain else { return nil }
        switch CocoaError.Code(rawValue: error.code) {
        case .fileWriteOutOfSpace: return ENOSPC
        case .fileNoSuchFile: return ENOENT
        case .fileWriteNoPermission: return EACCES
        default: return nil
        }
    }
}
