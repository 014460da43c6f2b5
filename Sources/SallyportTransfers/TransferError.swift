import Foundation
import Sallyport
import SallyportTransport

/// An error that ended a transfer, with the partial file from which a later download can continue.
public struct TransferError: Error, Sendable {
    /// The reasons why a transfer fails.
    public enum Reason: Sendable {
        /// The call failed; the error states how far it got.
        case network(NetworkError)
        /// The server responded with a status that is not a success. The response contains at most the beginning of its
        /// body.
        case status(HttpResponse)
        /// A file with this name exists, and must not be replaced.
        case fileExists(URL)
        /// A file or folder cannot be read, created or written; the text states why.
        case file(URL, String)
        /// The disk is full.
        case diskFull(URL)
        /// The response differs from what was requested or announced, in its length, range or digest; the text states
        /// how.
        case mismatch(String)
        /// Another transfer, in this process or another, is using the same file or journal.
        case inUse(URL)
    }

    /// The reason of the failure.
    public var reason: Reason

    /// The file with the bytes downloaded so far, from which a later download to the same destination continues; `nil`
    /// if there is none.
    public var partialFile: URL?

    /// The number of downloaded bytes in ``partialFile``; 0 if there is no such file.
    public var resumableBytes: Int64

    /// A Boolean value that indicates whether the complete file differs from the digest that the caller specified.
    var isWrongDigest = false

    /// Creates an error.
    public init(_ reason: Reason, partialFile: URL? = nil, resumableBytes: Int64 = 0) {
        self.reason = reason
        self.partialFile = partialFile
        self.resumableBytes = resumableBytes
    }

    /// A Boolean value that indicates whether the transfer was cancelled.
    public var isCancellation: Bool {
        if case .network(.cancelled) = reason { return true }
        return false
    }
}

extension TransferError: CustomStringConvertible, LocalizedError {
    /// The failure, the partial file, and advice, on one line. Control characters, which a server may have sent, are
    /// escaped.
    public var description: String {
        guard let partialFile else { return VisibleText.line(problem) }
        let hint =
            "\(Quantity.size(resumableBytes)) are kept in \(partialFile.path), and the same download continues from there"
        return VisibleText.line("\(problem); \(hint)")
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    private var problem: String {
        switch reason {
        case .network(let error): error.description
        case .status(let response): "\(response.request): the server answered \(response.statusSummary)"
        case .fileExists(let url): "\(url.path) exists already; choose another name, or allow replacing it"
        case .file(let url, let problem): "\(url.path): \(problem)"
        case .diskFull(let url): "the disk of \(url.path) is full; free some space, and start the transfer again"
        case .mismatch(let problem): problem
        case .inUse(let url): "\(url.path) is being written by another transfer; wait for it, or choose another name"
        }
    }
}
