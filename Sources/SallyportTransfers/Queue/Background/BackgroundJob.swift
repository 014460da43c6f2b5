import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The transfer of a task in a background session. It is stored as the task's description, so that a later process can
/// handle the task's events.
struct BackgroundJob: Sendable, Hashable, Codable {
    /// The outcome of a task, stored until a process handles it.
    struct StoredOutcome: Sendable, Hashable, Codable {
        var status: Int
        var body: Data
        /// The reason of the failure; `nil` if there was a response.
        var problem: String?
    }

    /// The key of the transfer.
    var key: String
    /// The staging folder of a download; `nil` for an upload.
    var staging: URL?
    /// The name of the file in that folder; `nil` if the server's response determines it.
    var name: String?
    /// The digest that the file must have.
    var digest: ContentDigest?
    /// The maximum size of the file in bytes.
    var maximumSize: Int64?
    /// The file that stores the outcome.
    var outcomeFile: URL

    private enum CodingKeys: String, CodingKey {
        case key, staging, name, digest, maximumSize
        case outcomeFile = "answer"
    }

    init(_ job: TransferJob) {
        key = job.key
        staging = job.staging?.url
        outcomeFile = job.journal.appendingPathExtension("answer")
        guard case .download(let download) = job.transfer.work else { return }
        name = StagingFolder.fileName(for: download.destination)
        (digest, maximumSize) = (download.digest, download.maximumSize)
    }

    /// Parses the ``text`` of a job.
    init?(_ text: String?) {
        guard let data = text?.data(using: .utf8), let job = try? JSONDecoder().decode(Self.self, from: data) else {
            return nil
        }
        self = job
    }

    /// The job as the description of a task.
    var text: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// Moves a complete file to the staging folder, before the system removes it.
    ///
    /// - Parameter suggestion: The name that the server and the URL suggest.
    /// - Throws: ``TransferError`` if it is not the requested file, or cannot be moved.
    func accept(_ file: URL, suggestion: String?) throws(TransferError) {
        guard let staging else { return }
        try check(file)
        try StagingFolder(at: staging).accept(file, as: name ?? SafeFileName.make(suggestion))
    }

    private func check(_ file: URL) throws(TransferError) {
        guard let size = FileState(file)?.size else { throw QueueDisk.problem(file) }
        if let maximumSize, size > maximumSize {
            throw TransferError(.mismatch("the file has \(size) bytes, more than the \(maximumSize) that are accepted"))
        }
        guard let digest else { return }
        var computation = DigestComputation([digest.algorithm])
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty {
                chunk.withUnsafeBytes { computation.update($0) }
            }
        } catch {
            throw TransferError(.file(file, error.localizedDescription))
        }
        guard let found = computation.digest(digest.algorithm), found == digest else {
            throw TransferError(.mismatch("the file does not have the expected digest \(digest)"))
        }
    }

    /// Stores the outcome.
    func store(_ outcome: StoredOutcome) throws(TransferError) {
        guard let data = try? JSONEncoder().encode(outcome) else { return }
        try QueueDisk.replace(outcomeFile, with: data, by: outcomeFile.appendingPathExtension("new"))
    }

    /// Returns the outcome of the task; `nil` if it has not ended.
    ///
    /// - Throws: ``TransferError`` if the task failed. Its outcome is then removed, so that the transfer can be
    ///   retried.
    func outcome() throws(TransferError) -> TransferOutcome? {
        if let staging, let complete = try StagingFolder(at: staging).completeFile() { return .fetched(complete) }
        guard let data = QueueFolder.read(outcomeFile),
            let stored = try? JSONDecoder().decode(StoredOutcome.self, from: data)
        else {
            return nil
        }
        if let problem = stored.problem {
            try QueueDisk.remove(outcomeFile)
            throw TransferError(.network(.connectionLost(NetworkFailure(problem))))
        }
        guard (200..<300).contains(stored.status) else {
            try QueueDisk.remove(outcomeFile)
            let response = HttpResponse(
                status: HttpStatus(code: stored.status),
                body: stored.body,
                request: HttpRequest()
            )
            throw TransferError(.status(response))
        }
        return .uploaded(status: stored.status, body: stored.body)
    }
}
