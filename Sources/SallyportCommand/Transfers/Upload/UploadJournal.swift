import Foundation
import Sallyport
import SallyportTransport

/// What is kept of an upload until it has ended, for a later run of the same command to go on with.
struct UploadJournal: Sendable {
    private static let oldest: TimeInterval = 30 * 24 * 60 * 60

    /// What stands between the parts of the form: the same each time, so that its bytes are the same.
    let boundary: String
    private let folder: URL

    /// Opens the journal of an upload, or begins one.
    ///
    /// - Parameter identity: All that tells this upload from others.
    /// - Throws: A failure if the folder cannot be used.
    init(of identity: [String], in state: StateFolder = StateFolder()) throws(CommandFailure) {
        let bytes = identity.reduce(into: Data()) { $0 += Data("\($1.utf8.count) \($1)\n".utf8) }
        let name = ContentDigest.of(bytes, .sha256).hexadecimal
        folder = state.uploads.appendingPathComponent(String(name.prefix(32)), isDirectory: true)
        try StateFolder.makePrivate(state.uploads)
        Self.removeOld(in: state.uploads)
        try StateFolder.makePrivate(folder)
        boundary = try Self.keptBoundary(in: folder.appendingPathComponent("boundary"))
    }

    /// Where the upload itself notes how far it has come.
    var file: URL { folder.appendingPathComponent("journal") }

    /// Whether the upload can go on from somewhere.
    var isUseful: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Forgets the upload.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    private static func keptBoundary(in file: URL) throws(CommandFailure) -> String {
        if let data = FileManager.default.contents(atPath: file.path), data.count <= 70,
            let boundary = String(bytes: data, encoding: .utf8), (try? MultipartForm(boundary: boundary)) != nil
        {
            return boundary
        }
        let boundary = MultipartForm().boundary
        do {
            try PrivateFile.replace(file.path, with: Data(boundary.utf8))
        } catch {
            let reason = (error as NSError).localizedDescription
            throw CommandFailure(.writeError, "the file \(file.path) cannot be written: \(reason)")
        }
        return boundary
    }

    /// No server waits for a month.
    private static func removeOld(in folder: URL) {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? [] {
            let entry = folder.appendingPathComponent(name)
            let attributes = try? manager.attributesOfItem(atPath: entry.path)
            guard let date = attributes?[.modificationDate] as? Date, date < Date(timeIntervalSinceNow: -oldest) else {
                continue
            }
            try? manager.removeItem(at: entry)
        }
    }
}

/// What tells one file from another, and from itself before it was changed.
enum FileIdentity {
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
