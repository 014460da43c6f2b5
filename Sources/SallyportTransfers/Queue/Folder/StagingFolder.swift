import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The folder beside a download's destination. A queue stores the file there until the transfer has ended.
///
/// The names of the partial file and its journal begin with a dot; the only other file in the folder is the complete
/// file. It is installed at its destination as a hard link, and the folder is removed only after the end of the
/// transfer has been recorded. If a process is killed at any time, the next one can determine whether the file was
/// installed.
struct StagingFolder: Sendable {
    /// Creates a hard link; tests replace it.
    typealias Link = @Sendable (_ file: String, _ name: String) -> Int32

    private static let maximumNumber = 10_000

    let url: URL
    private let link: Link

    init(at url: URL, link: @escaping Link = { Foundation.link($0, $1) }) {
        self.url = url
        self.link = link
    }

    /// The staging folder of a download.
    ///
    /// - Parameter key: The key of the transfer.
    init(of download: QueuedDownload, key: String) {
        self.init(at: download.folder.appendingPathComponent(".sallyport-\(key)", isDirectory: true))
    }

    /// Creates the folder unless it exists.
    func create() throws(TransferError) { try QueueDisk.makeFolder(url) }

    /// Removes the folder if it is empty.
    func removeIfEmpty() { rmdir(url.path) }

    /// Removes the folder and the files in it.
    func remove() throws(TransferError) { try QueueDisk.remove(url) }

    // MARK: Downloading

    /// Returns the name that the complete file gets in the folder; `nil` if the server's response determines it.
    static func fileName(for destination: DownloadDestination) -> String? {
        if case .file = destination { "file" } else { nil }
    }

    /// Returns the destination in this folder for a download with another destination.
    func staged(_ destination: DownloadDestination) -> DownloadDestination {
        Self.fileName(for: destination).map { .file(url.appendingPathComponent($0)) } ?? .folder(url)
    }

    /// Returns the journal of the partial file.
    ///
    /// - Parameter key: The digest of the download's URL.
    func journal(of download: QueuedDownload, key: String) -> URL {
        DownloadPaths(staged(download.destination), key: key).journal
    }

    /// The complete file, which may be installed already; `nil` if there is none.
    func completeFile() throws(TransferError) -> URL? {
        if let installed = renamedFile() { return installed }
        guard FileState(url) != nil else { return nil }
        let name = try QueueDisk.names(in: url).filter { !$0.hasPrefix(".") }.sorted().first
        return name.map { url.appendingPathComponent($0) }
    }

    /// Moves a complete file, which the system downloaded, into the folder.
    ///
    /// - Parameter name: The name of the file in the folder.
    func accept(_ file: URL, as name: String) throws(TransferError) {
        try create()
        // The file may be copied from another disk, so it is renamed only when it is complete.
        let copy = url.appendingPathComponent(".taken")
        try QueueDisk.remove(copy)
        do {
            try FileManager.default.moveItem(at: file, to: copy)
        } catch {
            throw TransferError(.file(copy, error.localizedDescription))
        }
        try QueueDisk.move(copy, to: url.appendingPathComponent(name))
    }

    // MARK: Installing

    /// Installs the complete file at its destination. Further calls return the same file.
    ///
    /// - Returns: The file at its destination.
    /// - Throws: ``TransferError``, in particular if a file exists there. The complete file stays in the folder.
    func install(_ file: URL, for download: QueuedDownload) throws(TransferError) -> URL {
        if let installed = renamedFile() { return installed }
        let wanted: URL
        var existingFile = download.existingFile
        switch download.destination {
        case .file(let url): wanted = url
        case .folder(let url):
            wanted = url.appendingPathComponent(file.lastPathComponent)
            existingFile = existingFile.inFolder(file.lastPathComponent, requested: download.url)
        }
        guard let state = FileState(file), state.isFile else { throw QueueDisk.problem(file) }
        var target = wanted
        var number = 1
        while true {
            if link(file.path, target.path) == 0 { break }
            let problem = errno
            if let present = FileState(target) {
                if present.isSameFile(as: state) { break }
                switch existingFile {
                case .fail: throw TransferError(.fileExists(target))
                case .replace:
                    try replace(target, by: file)
                    return target
                case .number:
                    number += 1
                    guard number < Self.maximumNumber else { throw TransferError(.fileExists(wanted)) }
                    let name = DownloadPaths.numbered(wanted.lastPathComponent, number)
                    target = wanted.deletingLastPathComponent().appendingPathComponent(name)
                    continue
                }
            }
            guard Self.isUnsupported(problem) else {
                errno = problem
                throw QueueDisk.problem(target)
            }
            try rename(file, to: target, state)
            return target
        }
        try QueueDisk.synchronize(target.deletingLastPathComponent())
        return target
    }

    /// Replaces a file atomically.
    private func replace(_ target: URL, by file: URL) throws(TransferError) {
        try DownloadPaths.checkKind(of: target)
        // Failures are ignored, as some file systems have no permissions.
        if let permissions = DownloadPaths.permissions(of: target) { chmod(file.path, permissions) }
        let second = url.appendingPathComponent(".second")
        unlink(second.path)
        if link(file.path, second.path) == 0 {
            guard Foundation.rename(second.path, target.path) == 0 else { throw QueueDisk.problem(target) }
            return try QueueDisk.synchronize(target.deletingLastPathComponent())
        }
        guard Self.isUnsupported(errno), let state = FileState(file) else { throw QueueDisk.problem(target) }
        try rename(file, to: target, state)
    }

    // MARK: File systems without hard links

    /// The record that is written before a file is renamed.
    private struct Renaming: Codable {
        var target: URL
        var device: UInt64
        var inode: UInt64
        var size: Int64
    }

    private var renamingRecord: URL { url.appendingPathComponent(".placed") }

    private func rename(_ file: URL, to target: URL, _ state: FileState) throws(TransferError) {
        let renaming = Renaming(target: target, device: state.device, inode: state.inode, size: state.size)
        guard let data = try? JSONEncoder().encode(renaming) else { return }
        try QueueDisk.replace(renamingRecord, with: data, by: url.appendingPathComponent(".placed.new"))
        try QueueDisk.move(file, to: target)
    }

    /// The file at its destination, if it was renamed.
    private func renamedFile() -> URL? {
        guard let data = QueueFolder.read(renamingRecord),
            let renaming = try? JSONDecoder().decode(Renaming.self, from: data),
            let state = FileState(renaming.target), state.device == renaming.device, state.inode == renaming.inode,
            state.size == renaming.size
        else { return nil }
        return renaming.target
    }

    private static func isUnsupported(_ problem: Int32) -> Bool {
        [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(problem)
    }
}

extension QueuedDownload {
    /// The folder of the finished file.
    fileprivate var folder: URL {
        switch destination {
        case .file(let url): url.deletingLastPathComponent()
        case .folder(let url): url
        }
    }
}
