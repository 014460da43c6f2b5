import Foundation
import HTTPTypes
import SallyportTransport

/// The file by which a later process goes on with an upload, held by one upload at a time.
///
/// The lock is on the journal itself, so that the system gives it back when the process ends, in whatever way, and no
/// file of its own is left.
final class UploadJournal: Sendable {
    /// What it holds. It has no header and no body, but a URL by which whoever reads it can change the upload.
    struct Entry: Codable, Sendable, Equatable {
        var version = 1
        /// What tells the request and its body from others.
        var upload: String
        /// The line between the parts of a form.
        var boundary: String?
        /// Where the server keeps what it has.
        var resource: String?
        /// Whether all bytes may have left.
        var isWhole = false
        var idempotencyKey: String?
        /// How many bytes had left when the upload stopped, and of how many: for those who ask how it stands.
        var sent: Int64?
        var length: Int64?
    }

    /// No journal is longer.
    private static let largest = 64 << 10

    private struct State {
        var entry: Entry?
        /// `nil` once others may have it.
        var file: OpenedFile?
    }

    let url: URL
    /// What an earlier process has left.
    let previous: Entry?
    private let state: Locked<State>

    /// Takes the journal that is there, or makes one.
    ///
    /// - Throws: ``TransferError``, with ``TransferError/Reason/inUse(_:)`` if another upload has it.
    init(at url: URL) throws(TransferError) {
        do throws(FileProblem) {
            let file = try OpenedFile.guarded(url, creating: 0o600)
            self.url = url
            previous = Self.entry(at: url)
            state = Locked(State(file: file))
        } catch {
            throw Self.error(url, error)
        }
    }

    /// What is written there; `nil` if there is nothing, or nothing that can be read, or others could have written it:
    /// it says where requests go that have the upload's credentials.
    static func entry(at url: URL) -> Entry? {
        guard let data = try? PrivateFile.read(url.path, upTo: largest),
            let entry = try? JSONDecoder().decode(Entry.self, from: data), entry.version == 1
        else { return nil }
        return entry
    }

    /// Writes what is known at the upload's beginning, in place of what was there.
    ///
    /// - Throws: ``TransferError`` when it cannot be written.
    func begin(_ entry: Entry) throws(TransferError) {
        do throws(TransferError) {
            try change { $0 = entry }
        } catch {
            // One that was made just now is not left behind empty.
            if state.withLock({ $0.file?.length }) == 0 { remove() }
            throw error
        }
    }

    /// - Throws: ``TransferError`` when it cannot be written.
    func note(_ resource: UploadResource?) throws(TransferError) {
        try change { entry in
            if entry?.resource != resource?.url { entry?.resource = resource?.url }
            if resource == nil {
                entry?.isWhole = false
                entry?.sent = nil
            }
        }
    }

    /// Takes note of how many bytes have left, of how many. That it cannot be written harms nothing.
    func noteSent(_ count: Int64, of length: Int64?) {
        try? change { entry in
            entry?.sent = count
            entry?.length = length
        }
    }

    /// - Throws: ``TransferError`` when it cannot be written.
    func noteLastByte() throws(TransferError) {
        try change { $0?.isWhole = true }
    }

    /// Removes it, while it is held.
    func remove() {
        state.withLock { state in
            if let file = state.file, file.isAt(url) { unlink(url.path) }
        }
    }

    /// Lets others have it. What would be written later is not.
    func release() {
        state.withLock { $0.file = nil }
    }

    /// The lock is held while it is written, so that an older entry never takes the place of a newer one.
    private func change(_ change: (inout Entry?) -> Void) throws(TransferError) {
        try state.withLock { state throws(TransferError) in
            let old = state.entry
            change(&state.entry)
            guard let entry = state.entry, entry != old, state.file != nil else { return }
            let new = url.appendingPathExtension("new")
            do throws(FileProblem) {
                state.file = try PrivateFile.replace(url, with: entry.data, by: new, locked: true)
            } catch {
                throw Self.error(url, error)
            }
        }
    }

    private static func error(_ url: URL, _ problem: FileProblem) -> TransferError {
        let error = problem.transferError(url)
        guard case .file(let url, let text) = error.reason else { return error }
        return TransferError(.file(url, "the upload's journal cannot be written: \(text)"))
    }
}

extension UploadJournal.Entry {
    fileprivate var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }
}
