import Foundation

/// A file that has been downloaded, whole.
public struct DownloadedFile: Sendable {
    /// Where it is.
    public var url: URL

    /// Its length in bytes.
    public var length: Int64

    /// How many bytes of it this transfer fetched, those included that it had to fetch twice. Less than ``length`` if
    /// it went on from an earlier one.
    public var fetchedBytes: Int64

    /// The digest that was checked; `nil` if neither the caller nor the server told one.
    public var digest: ContentDigest?

    /// The response to the last request that was made for it, without a body.
    public var response: HttpResponse

    /// Makes a description of a file.
    public init(
        url: URL,
        length: Int64,
        fetchedBytes: Int64,
        digest: ContentDigest? = nil,
        response: HttpResponse
    ) {
        self.url = url
        self.length = length
        self.fetchedBytes = fetchedBytes
        self.digest = digest
        self.response = response
    }
}
