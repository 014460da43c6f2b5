import Foundation
import SallyportTransport

/// Why a transfer failed, and what was kept of it.
public struct TransferError: Error, Sendable {
    /// What went wrong.
    public enum Reason: Sendable {
        /// The call failed; the error says how far it got.
        case network(NetworkError)
        /// The server answered with a status that is no success. The response holds its body, as far as it is short.
        case status(HttpResponse)
        /// There is a file of that name already, and it is not to be replaced.
        case fileExists(URL)
        /// A file or folder cannot be read, made or written; the text says why.
        case file(URL, String)
        /// The disk is full.
        case diskFull(URL)
        /// What came is not what was asked for or announced: a length, a range or a digest; the text says which.
        case mismatch(String)
        /// Another transfer is writing the same file, or has the same journal, in this process or another.
        case inUse(URL)
    }

    /// What went wrong.
    public var reason: Reason

    /// The file with what has been fetched so far, from which a later transfer to the same destination goes on.
    public var partialFile: URL?

    /// How many bytes that file holds.
    public var keptBytes: Int64

    /// Whether the whole file was fetched and has not the digest that the caller has given.
    var isWrongDigest = false

    /// Makes an error.
    public init(_ reason: Reason, partialFile: URL? = nil, keptBytes: Int64 = 0) {
        self.reason = reason
        self.partialFile = partialFile
        self.keptBytes = keptBytes
    }

    /// Whether it ended by a cancellation.
    public var isCancellation: Bool {
        if case .network(.cancelled) = reason { return true }
        return false
    }
}

extension TransferError: CustomStringConvertible, LocalizedError {
    /// What went wrong, what was kept, and what to do, in one line. Control characters, which a server may have sent, are
    /// escaped.
    public var description: String {
        guard let partialFile else { return VisibleText.line(problem) }
        let kept = "\(keptBytes) bytes are kept in \(partialFile.path), and the same download goes on from there"
        return VisibleText.line("\(problem); \(kept)")
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    private var problem: String {
        switch reason {
        case .network(let error): error.description
        case .status(let response): "\(response.request): the server answered \(response.status.words)"
        case .fileExists(let url): "\(url.path) is there already; choose another name, or have it replaced"
        case .file(let url, let problem): "\(url.path): \(problem)"
        case .diskFull(let url): "the disk of \(url.path) is full; make room, and start it again"
        case .mismatch(let problem): problem
        case .inUse(let url): "\(url.path) is being written by another transfer; wait for it, or choose another name"
        }
    }
}
