import Foundation

/// A file that a ``TransferQueue`` fetches.
public struct QueuedDownload: Sendable, Hashable, Codable {
    /// Where it is.
    public var url: String

    /// What the request has beside the standard headers; no secrets.
    public var headers: [String: String] = [:]

    /// Where it goes. The file has that name only once it is whole.
    public var destination: DownloadDestination

    /// What to do if a file of that name is there; fail unless set.
    public var existingFile = DownloadOptions.ExistingFile.fail

    /// The digest that the file has to have; see ``DownloadOptions/digest``.
    public var digest: ContentDigest?

    /// The largest file that is accepted, in bytes; none is too large unless set.
    public var maximumSize: Int64?

    /// How many ranges of a large file are fetched at a time; see ``DownloadOptions/connections``.
    public var connections = 1

    /// Makes a download.
    ///
    /// - Parameters:
    ///   - url: Where it is.
    ///   - destination: Where it goes.
    public init(_ url: String, to destination: DownloadDestination) {
        self.url = url
        self.destination = destination
    }
}
