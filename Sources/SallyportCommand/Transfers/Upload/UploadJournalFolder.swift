import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers
import SallyportTransport

/// The folder with the state of an unfinished upload, from which a later run of the same command resumes.
struct UploadJournalFolder: Sendable {
    private static let maximumAge: TimeInterval = 30 * 24 * 60 * 60

    /// The boundary of the form. It is stored, so that the body is the same in a later run.
    let boundary: String
    private let folder: URL

    /// Opens or creates the folder of an upload.
    ///
    /// - Parameter identity: The properties that distinguish this upload from others.
    /// - Throws: A failure if the folder cannot be used.
    init(of identity: [String], in state: StateFolder = StateFolder()) throws(CommandFailure) {
        let bytes = identity.reduce(into: Data()) { $0 += Data("\($1.utf8.count) \($1)\n".utf8) }
        let name = ContentDigest.of(bytes, .sha256).hexadecimal
        folder = state.uploads.appendingPathComponent(String(name.prefix(32)), isDirectory: true)
        try PrivateDirectory.makeGuarded(state.uploads)
        Self.removeOld(in: state.uploads)
        try PrivateDirectory.makeGuarded(folder)
        boundary = try Self.storedBoundary(in: folder.appendingPathComponent("boundary"))
    }

    /// The journal that the upload writes.
    var file: URL { folder.appendingPathComponent("journal") }

    /// A Boolean value that indicates whether the upload can be resumed.
    var canResume: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Removes the state of the upload.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    private static func storedBoundary(in file: URL) throws(CommandFailure) -> String {
        if let data = FileManager.default.contents(atPath: file.path), data.count <= 70,
            let boundary = String(bytes: data, encoding: .utf8), (try? MultipartForm(boundary: boundary)) != nil
        {
            return boundary
        }
        let boundary = MultipartForm().boundary
        do throws(FileSystemError) {
            try PrivateFile.replace(file, with: Data(boundary.utf8))
        } catch {
            throw WriteFailure.of("the file", file.path, error)
        }
        return boundary
    }

    /// Removes the state of uploads that have not been used for 30 days. Servers do not store partial uploads that long.
    private static func removeOld(in folder: URL) {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? [] {
            let entry = folder.appendingPathComponent(name)
            let attributes = try? manager.attributesOfItem(atPath: entry.path)
            guard let date = attributes?[.modificationDate] as? Date, date < Date(timeIntervalSinceNow: -maximumAge)
            else {
                continue
            }
            try? manager.removeItem(at: entry)
        }
    }
}

/// The identity of a version of a file.
enum FileIdentity {
    /// Returns text that changes when the file is replaced or modified.
    ///
    /// - Throws: A failure that names a file that cannot be read.
    static func of(_ path: String) throws(CommandFailure) -> String {
        _ = try InputFile(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw InputFile.unreadable(path, systemReason()) }
        let version = FileVersion(status)
        let full = URL(fileURLWithPath: path).standardizedFileURL.path
        return "\(version.device) \(version.inode) \(version.size) \(version.modified) \(full)"
    }
}
