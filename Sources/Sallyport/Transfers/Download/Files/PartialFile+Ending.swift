import Foundation
import SallyportTransport

extension PartialFile {
    /// Computes digests of the whole file as it is on the disk.
    func digests(
        _ algorithms: Set<ContentDigest.Algorithm>
    ) async throws(TransferError) -> [ContentDigest] {
        do throws(FileProblem) {
            return try await onAnotherThread { [file] isCancelled throws(FileProblem) in
                var computation = DigestComputation(algorithms)
                var buffer = Data(count: 1 << 20)
                var offset: Int64 = 0
                while true {
                    if isCancelled() { throw FileProblem(code: ECANCELED, attempt: "") }
                    let count = try buffer.withBytes { bytes throws(FileProblem) -> Int in
                        let count = try file.read(into: bytes, at: offset)
                        computation.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                        return count
                    }
                    if count == 0 { break }
                    offset += Int64(count)
                }
                return algorithms.compactMap { computation.digest($0) }
            }
        } catch {
            if error.code == ECANCELED { throw TransferError(.network(.cancelled("the transfer was cancelled"))) }
            throw error.transferError(place.partialFile)
        }
    }

    /// Gives the whole file its name.
    ///
    /// - Returns: Where it is.
    func finish(as name: String, if existing: DownloadOptions.ExistingFile) async throws(TransferError) -> URL {
        try await onAnotherThread { [self] () throws(TransferError) in try finishNow(as: name, if: existing) }
    }

    private func finishNow(as name: String, if existing: DownloadOptions.ExistingFile) throws(TransferError) -> URL {
        do throws(FileProblem) {
            try file.setLength(total ?? file.length)
            try file.synchronize()
        } catch {
            throw error.transferError(place.partialFile)
        }
        guard isInPlace else {
            let problem = "it is not there any more, or another has taken its place; start the download again"
            throw TransferError(.file(place.partialFile, problem))
        }
        let contents = journalText()
        // The journal is removed first, because nothing would ever remove one that is left beside a finished file. Nothing
        // comes between that and the new name: without its journal, what was fetched is lost if the process is killed.
        unlink(place.journal.path)
        for number in 1... {
            let url = place.folder.appendingPathComponent(DownloadPlace.numbered(name, number))
            do throws(FileProblem) {
                try FilePlacing.move(place.partialFile, to: url, replacing: existing == .replace)
                setDefaultPermissions()
                // Not every folder can; the file itself is safe.
                try? Disk.synchronizeFolder(place.folder)
                return url
            } catch {
                if error.code == EEXIST, existing == .number, number < 10_000 { continue }
                try? restoreJournal(contents)
                throw error.code == EEXIST ? TransferError(.fileExists(url)) : error.transferError(url)
            }
        }
        throw TransferError(.fileExists(place.folder.appendingPathComponent(name)))
    }

    /// Gives the file the permissions that it would have if it had been created under its final name.
    private func setDefaultPermissions() {
        // Failures are ignored, as some file systems have no permissions.
        guard let permissions = try? OpenedFile.defaultPermissions(in: place.folder),
            permissions != file.permissions
        else { return }
        try? file.setPermissions(permissions)
    }

    /// Removes the file and its journal, unless another file has taken its place.
    func remove() {
        guard isInPlace else { return }
        unlink(place.journal.path)
        unlink(place.partialFile.path)
    }

    private func journalText() -> String {
        state.withLock { state in
            guard let header = state.header else { return "" }
            let sums = state.blocks.sums.sorted { $0.key < $1.key }
            return DownloadJournal.line(header)
                + sums.map { DownloadJournal.line(.block($0.key, sum: $0.value)) }.joined()
        }
    }

    private func restoreJournal(_ text: String) throws(FileProblem) {
        try OpenedFile(place.journal, flags: O_CREAT | O_EXCL, mode: 0o600).write(text, at: 0)
    }
}
