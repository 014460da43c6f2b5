import Foundation
import HTTPTypes
import SallyportTransport

/// The file by which a later process goes on with an upload.
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
    }

    /// No journal is longer.
    private static let largest = 64 << 10

    let url: URL
    private let entry: Locked<Entry>

    /// Makes a journal, in place of the one that is there.
    ///
    /// - Throws: ``TransferError`` when it cannot be written.
    init(at url: URL, _ entry: Entry) throws(TransferError) {
        self.url = url
        self.entry = Locked(entry)
        try write(entry)
    }

    /// What is written there; `nil` if there is nothing, or nothing that can be read.
    static func entry(at url: URL) -> Entry? {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: largest + 1), data.count <= largest,
            let entry = try? JSONDecoder().decode(Entry.self, from: data), entry.version == 1
        else { return nil }
        return entry
    }

    /// - Throws: ``TransferError`` when it cannot be written.
    func note(_ resource: UploadResource?) throws(TransferError) {
        try change { entry in
            if entry.resource != resource?.url { entry.resource = resource?.url }
            if resource == nil { entry.isWhole = false }
        }
    }

    /// - Throws: ``TransferError`` when it cannot be written.
    func noteWhole() throws(TransferError) {
        try change { $0.isWhole = true }
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }

    /// The lock is held while it is written, so that an older entry never takes the place of a newer one.
    private func change(_ change: (inout Entry) -> Void) throws(TransferError) {
        try entry.withLock { entry throws(TransferError) in
            let old = entry
            change(&entry)
            if entry != old { try write(entry) }
        }
    }

    private func write(_ entry: Entry) throws(TransferError) {
        do {
            try PrivateFile.replace(url.path, with: JSONEncoder().encode(entry))
        } catch let error as POSIXError where error.code == .ENOSPC {
            throw TransferError(.diskFull(url))
        } catch {
            throw TransferError(.file(url, "the upload's journal cannot be written: \(error.localizedDescription)"))
        }
    }
}

extension UploadOptions {
    /// The line between the parts of the form whose upload the journal is of, so that the same form can be made again;
    /// `nil` if there is none.
    ///
    /// ```swift
    /// var form = options.keptBoundary.map(MultipartForm.init(boundary:)) ?? MultipartForm()
    /// ```
    public var keptBoundary: String? { journal.flatMap(UploadJournal.entry)?.boundary }
}
