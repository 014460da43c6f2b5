import Foundation
import HTTPTypes
import Sallyport
import SallyportStorage
import SallyportTransport

/// The file from which a later process continues an upload, used by one upload at a time.
///
/// The lock is on the journal itself: the system releases it when the process ends, and there is no lock file to clean
/// up.
final class UploadJournal: Sendable {
    /// The contents of a journal. It contains no headers and no body, but a URL with which anyone who reads it could
    /// change the upload.
    struct Entry: Codable, Sendable, Equatable {
        var version = 1
        /// A digest that identifies the request and its body.
        var upload: String
        /// The boundary of a multipart form.
        var boundary: String?
        /// The URL of the upload resource.
        var resource: String?
        /// A Boolean value that indicates whether all bytes may have been sent.
        var mayBeComplete = false
        var idempotencyKey: String?
        /// The number of bytes that had been sent when the upload stopped, for progress reports.
        var sent: Int64?
        var length: Int64?

        private enum CodingKeys: String, CodingKey {
            case version, upload, boundary, resource, idempotencyKey, sent, length
            case mayBeComplete = "isWhole"
        }
    }

    /// The maximum size of a journal.
    private static let maximumSize = 64 << 10

    private struct State {
        var entry: Entry?
        /// The locked file; `nil` once it has been released.
        var file: OpenedFile?
    }

    let url: URL
    /// The entry that an earlier process left.
    let previous: Entry?
    private let state: Locked<State>

    /// Opens and locks a journal, and creates it if it does not exist.
    ///
    /// - Throws: ``TransferError``, with ``TransferError/Reason/inUse(_:)`` if another upload uses it.
    init(at url: URL) throws(TransferError) {
        do throws(FileSystemError) {
            let file = try OpenedFile.guarded(url, creating: 0o600)
            self.url = url
            previous = Self.entry(at: url)
            state = Locked(State(file: file))
        } catch {
            throw Self.error(url, error)
        }
    }

    /// Returns the entry of a journal; `nil` if it does not exist, cannot be parsed, or could have been written by
    /// other users: it determines where requests with the upload's credentials are sent.
    static func entry(at url: URL) -> Entry? {
        guard let data = try? PrivateFile.read(url.path, upTo: maximumSize),
            let entry = try? JSONDecoder().decode(Entry.self, from: data), entry.version == 1
        else { return nil }
        return entry
    }

    /// Replaces the entry at the beginning of an upload.
    ///
    /// - Throws: ``TransferError`` if it cannot be written.
    func begin(_ entry: Entry) throws(TransferError) {
        do throws(TransferError) {
            try change { $0 = entry }
        } catch {
            // Remove an empty journal that was created for this upload.
            if state.withLock({ $0.file?.length }) == 0 { remove() }
            throw error
        }
    }

    /// Records the upload resource, or `nil` when the upload starts over.
    ///
    /// - Throws: ``TransferError`` if it cannot be written.
    func record(_ resource: UploadResource?) throws(TransferError) {
        try change { entry in
            if entry?.resource != resource?.url { entry?.resource = resource?.url }
            if resource == nil {
                entry?.mayBeComplete = false
                entry?.sent = nil
            }
        }
    }

    /// Records the number of bytes that have been sent, and the total. Write errors are ignored, as the numbers are
    /// used for progress reports only.
    func recordSent(_ count: Int64, of length: Int64?) {
        try? change { entry in
            entry?.sent = count
            entry?.length = length
        }
    }

    /// Records that all bytes may have been sent.
    ///
    /// - Throws: ``TransferError`` if it cannot be written.
    func recordLastByte() throws(TransferError) {
        try change { $0?.mayBeComplete = true }
    }

    /// Removes the journal, unless it has been released.
    func remove() {
        state.withLock { state in
            if let file = state.file, file.isAt(url) { unlink(url.path) }
        }
    }

    /// Unlocks the journal for other uploads. Later changes are not written.
    func release() {
        state.withLock { $0.file = nil }
    }

    /// Changes the entry and writes it, inside the lock, so that an older entry never replaces a newer one.
    private func change(_ change: (inout Entry?) -> Void) throws(TransferError) {
        try state.withLock { state throws(TransferError) in
            let old = state.entry
            change(&state.entry)
            guard let entry = state.entry, entry != old, state.file != nil else { return }
            let new = url.appendingPathExtension("new")
            do throws(FileSystemError) {
                state.file = try PrivateFile.replace(url, with: entry.data, by: new, locked: true)
            } catch {
                throw Self.error(url, error)
            }
        }
    }

    private static func error(_ url: URL, _ problem: FileSystemError) -> TransferError {
        let error = problem.transferError(url)
        guard case .file(let url, let text) = error.reason else { return error }
        return TransferError(.file(url, "the upload's journal cannot be written: \(text)"))
    }
}

extension UploadJournal.Entry {
    fileprivate var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }
}
