import Foundation
import SallyportTransport

/// A file that has been fetched whole, in a folder beside its destination.
///
/// It is given its name by a second name for the same file (a hard link), and the folder goes away only after the end
/// of the transfer has been written down. So a process that finds the transfer not ended can see whether the file has its
/// name already, wherever the one before it was killed.
struct StagedFile: Sendable {
    /// What the second name is made by; tests have others.
    typealias Link = @Sendable (_ file: String, _ name: String) -> Int32

    private static let mostNumbers = 10_000

    private let staging: URL
    private let link: Link

    init(in staging: URL, link: @escaping Link = { Foundation.link($0, $1) }) {
        self.staging = staging
        self.link = link
    }

    /// Where a download is fetched to.
    func destination(for destination: DownloadDestination) -> DownloadDestination {
        switch destination {
        case .file: .file(staging.appendingPathComponent("file"))
        case .folder: .folder(staging)
        }
    }

    /// The file that an earlier process has fetched whole. What is not whole has a name that begins with a dot.
    func whole() throws(TransferError) -> URL? {
        if let placed = placed() { return placed }
        guard FileState(staging) != nil else { return nil }
        let name = try QueueDisk.names(in: staging).filter { !$0.hasPrefix(".") }.sorted().first
        return name.map { staging.appendingPathComponent($0) }
    }

    /// Gives the file its name.
    ///
    /// - Returns: The file under its name.
    /// - Throws: ``TransferError``, above all if the name is taken. The file stays where it is.
    func place(_ file: URL, for download: QueuedDownload) throws(TransferError) -> URL {
        if let placed = placed() { return placed }
        let wanted =
            switch download.destination {
            case .file(let url): url
            case .folder(let url): url.appendingPathComponent(file.lastPathComponent)
            }
        guard let state = FileState(file), state.isFile else { throw QueueDisk.problem(file) }
        var target = wanted
        var number = 1
        while true {
            if link(file.path, target.path) == 0 { break }
            let problem = errno
            if let present = FileState(target) {
                if present.isSameFile(as: state) { break }
                switch download.existingFile {
                case .fail: throw TransferError(.fileExists(target))
                case .replace:
                    try replace(target, by: file)
                    return target
                case .number:
                    number += 1
                    guard number < Self.mostNumbers else { throw TransferError(.fileExists(wanted)) }
                    let name = DownloadPlace.numbered(wanted.lastPathComponent, number)
                    target = wanted.deletingLastPathComponent().appendingPathComponent(name)
                    continue
                }
            }
            guard Self.isWithoutLinks(problem) else {
                errno = problem
                throw QueueDisk.problem(target)
            }
            try rename(file, to: target, state)
            return target
        }
        try QueueDisk.synchronize(target.deletingLastPathComponent())
        return target
    }

    /// Puts the file in the place of another, at once.
    private func replace(_ target: URL, by file: URL) throws(TransferError) {
        let second = staging.appendingPathComponent(".second")
        unlink(second.path)
        if link(file.path, second.path) == 0 {
            guard Foundation.rename(second.path, target.path) == 0 else { throw QueueDisk.problem(target) }
            return try QueueDisk.synchronize(target.deletingLastPathComponent())
        }
        guard Self.isWithoutLinks(errno), let state = FileState(file) else { throw QueueDisk.problem(target) }
        try rename(file, to: target, state)
    }

    // MARK: Where a file can have one name only

    /// What is written down before a file is renamed.
    private struct Note: Codable {
        var target: URL
        var device: UInt64
        var inode: UInt64
        var size: Int64
    }

    private var note: URL { staging.appendingPathComponent(".placed") }

    private func rename(_ file: URL, to target: URL, _ state: FileState) throws(TransferError) {
        let text = Note(target: target, device: state.device, inode: state.inode, size: state.size)
        guard let data = try? JSONEncoder().encode(text) else { return }
        try QueueDisk.replace(note, with: data, by: staging.appendingPathComponent(".placed.new"))
        try QueueDisk.move(file, to: target)
    }

    /// The file under its name, if it was renamed.
    private func placed() -> URL? {
        guard let data = QueueFolder.read(note), let note = try? JSONDecoder().decode(Note.self, from: data),
            let state = FileState(note.target), state.device == note.device, state.inode == note.inode,
            state.size == note.size
        else { return nil }
        return note.target
    }

    private static func isWithoutLinks(_ problem: Int32) -> Bool {
        [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(problem)
    }
}
