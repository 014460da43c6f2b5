import Foundation
import Sallyport
import SallyportStorage

/// The progress of waiting transfers according to their journals. A journal is read again only when it has changed.
struct ResumableProgressCache: Sendable {
    /// The maximum size of a journal that is read.
    private static let maximumJournalSize = 16 << 20

    private struct CachedJournal: Sendable {
        let journal: URL?
        var state: FileState?
        var date = Date.distantPast
        var progress: QueueProgress?
    }

    private var cached: [String: CachedJournal] = [:]

    /// Returns the progress of each entry, by its key.
    mutating func progress(of entries: [QueueEntry], in folder: QueueFolder) -> [String: QueueProgress] {
        var found: [String: CachedJournal] = [:]
        for entry in entries {
            let old = cached[entry.key] ?? CachedJournal(journal: TransferJob(entry, in: folder).progressJournal)
            found[entry.key] = Self.refresh(old, of: entry)
        }
        cached = found
        return found.compactMapValues(\.progress)
    }

    private static func refresh(_ old: CachedJournal, of entry: QueueEntry) -> CachedJournal {
        guard let journal = old.journal, let state = FileState(journal) else {
            return CachedJournal(journal: old.journal)
        }
        if old.state == state, state.isSettled(at: old.date) { return old }
        let date = Date()
        let progress: QueueProgress? =
            switch entry.transfer.work {
            case .download:
                QueueFolder.read(journal, limit: maximumJournalSize).flatMap { DownloadJournal($0)?.progress }
            case .upload: UploadJournal.entry(at: journal)?.progress
            }
        return CachedJournal(journal: journal, state: state, date: date, progress: progress)
    }
}

extension TransferJob {
    /// The journal that records the progress.
    fileprivate var progressJournal: URL? {
        guard let staging, case .download(let download) = transfer.work else { return journal }
        guard let key = try? transfer.plainRequest.asDownload().downloadKey() else { return nil }
        return staging.journal(of: download, key: key)
    }
}

extension DownloadJournal {
    /// The bytes that the journal records. They are verified only when the download continues.
    fileprivate var progress: QueueProgress {
        var blocks = DownloadBlocks(blockSize: header.blockSize, total: header.total)
        for record in records.values {
            switch record {
            case .block(let block, let sum): blocks.complete(block, sum: sum)
            case .beginning(let block, let count, _) where count < blocks.length(of: block):
                blocks.recordBeginning(DownloadBlocks.Beginning(count: count), of: block)
            case .beginning: break
            }
        }
        return QueueProgress(completed: blocks.completedBytes, total: header.total)
    }
}

extension UploadJournal.Entry {
    /// The bytes that had been sent when the upload stopped; the server may have received fewer.
    fileprivate var progress: QueueProgress? {
        guard resource != nil, let sent, sent > 0 else { return nil }
        return QueueProgress(completed: sent, total: length)
    }
}
