import Foundation
import SallyportTransport

/// What a task of a background session carries along, so that a later process knows what it is for.
struct BackgroundJob: Sendable, Hashable, Codable {
    /// How a task ended whose process was not there to take it, or has not taken it yet.
    struct Answer: Sendable, Hashable, Codable {
        var status: Int
        var body: Data
        /// Why it failed, if it did.
        var problem: String?
    }

    /// What tells the transfer from others.
    var key: String
    /// The folder that a download's file goes to; `nil` for an upload.
    var staging: URL?
    /// The name that the file gets there; `nil` if the server may choose it.
    var name: String?
    /// The digest that the file has to have.
    var digest: ContentDigest?
    /// The largest file that is accepted, in bytes.
    var maximumSize: Int64?
    /// Where the answer is kept.
    var answer: URL

    init(_ job: TransferJob) {
        key = job.key
        staging = job.staging?.url
        answer = job.journal.appendingPathExtension("answer")
        guard case .download(let download) = job.transfer.work else { return }
        name = StagingFolder.fileName(for: download.destination)
        (digest, maximumSize) = (download.digest, download.maximumSize)
    }

    /// Reads ``text``.
    init?(_ text: String?) {
        guard let data = text?.data(using: .utf8), let job = try? JSONDecoder().decode(Self.self, from: data) else {
            return nil
        }
        self = job
    }

    /// The job as a task's description.
    var text: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// Takes a file that was fetched whole, before the system removes it.
    ///
    /// - Parameter suggestion: The name that the server and the URL suggest.
    /// - Throws: ``TransferError`` if it is not the file that was asked for, or cannot be taken.
    func take(_ file: URL, suggestion: String?) throws(TransferError) {
        guard let staging else { return }
        try check(file)
        try StagingFolder(at: staging).accept(file, as: name ?? SafeFileName.make(suggestion))
    }

    private func check(_ file: URL) throws(TransferError) {
        guard let size = FileState(file)?.size else { throw QueueDisk.problem(file) }
        if let maximumSize, size > maximumSize {
            throw TransferError(.mismatch("the file has \(size) bytes, and \(maximumSize) are the most"))
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
            throw TransferError(.mismatch("the file has not the digest \(digest), as was expected"))
        }
    }

    /// Writes down how it ended.
    func keep(_ answer: Answer) throws(TransferError) {
        guard let data = try? JSONEncoder().encode(answer) else { return }
        try QueueDisk.replace(self.answer, with: data, by: self.answer.appendingPathExtension("new"))
    }

    /// How it ended, if it has; whoever asks takes it.
    ///
    /// - Throws: ``TransferError`` if it failed. Then it is forgotten, so that another attempt can be made.
    func outcome() throws(TransferError) -> TransferOutcome? {
        if let staging, let complete = try StagingFolder(at: staging).completeFile() { return .fetched(complete) }
        guard let data = QueueFolder.read(answer), let kept = try? JSONDecoder().decode(Answer.self, from: data) else {
            return nil
        }
        if let problem = kept.problem {
            try QueueDisk.remove(answer)
            throw TransferError(.network(.connectionLost(NetworkFailure(problem))))
        }
        guard (200..<300).contains(kept.status) else {
            try QueueDisk.remove(answer)
            let response = HttpResponse(
                status: HttpStatus(code: kept.status),
                body: kept.body,
                request: HttpRequest()
            )
            throw TransferError(.status(response))
        }
        return .answered(status: kept.status, body: kept.body)
    }
}
