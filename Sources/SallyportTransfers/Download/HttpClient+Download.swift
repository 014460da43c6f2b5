import Foundation
import Sallyport

extension HttpClient {
    /// Downloads a file, and continues an interrupted download of the same file.
    ///
    /// Until the file is complete, its bytes are in a hidden partial file beside the destination, such as
    /// `.map.zip.sallyport`. A journal records which bytes are present, with a checksum for each block. An interrupted
    /// download continues from these bytes, even in a later process. It starts over if the file on the server has
    /// changed, or if the server does not support ranges or sends no validators. Before a download continues, the bytes
    /// are compared with their checksums, and damaged blocks are fetched again.
    ///
    /// Bytes that another user could have written are not used: a partial file that belongs to another user, or that
    /// others may write to, is removed, and the download starts over. On file systems without owners or permissions,
    /// every download starts over.
    ///
    /// A download to a folder finds its partial file by the URL, so a download from another URL starts over.
    ///
    /// There is no limit on the total time: each response must begin within the client's timeout, and bytes must keep
    /// arriving. Pausing closes the connection.
    ///
    /// ```swift
    /// let transfer = client.download(to: .file(URL(fileURLWithPath: "/tmp/map.zip"))) { request in
    ///     request.url = "https://example.com/map.zip"
    /// }
    /// let file = try await transfer.value
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The destination. The file exists under this name only once it is complete.
    ///   - options: The treatment of an existing file, the checks of the new one, and the retry policy.
    ///   - identifier: The identifier of the transfer; a random one unless specified.
    ///   - builder: A closure that configures the request, a GET.
    /// - Returns: The transfer, which has started.
    public func download(
        to destination: DownloadDestination,
        options: DownloadOptions = DownloadOptions(),
        identifier: String? = nil,
        _ builder: (inout HttpRequest) -> Void
    ) -> Transfer<DownloadedFile> {
        var request = request()
        builder(&request)
        return download(request, to: destination, options: options, identifier: identifier)
    }

    /// Downloads a file; see ``download(to:options:identifier:_:)``.
    public func download(
        _ request: HttpRequest,
        to destination: DownloadDestination,
        options: DownloadOptions = DownloadOptions(),
        identifier: String? = nil
    ) -> Transfer<DownloadedFile> {
        Transfer(identifier: identifier) { control throws(TransferError) in
            try await DownloadRun(request, by: self, to: destination, options: options, control: control).run()
        }
    }
}

/// A file that has been downloaded completely.
public struct DownloadedFile: Sendable {
    /// The URL of the file.
    public var url: URL

    /// The length in bytes.
    public var length: Int64

    /// The number of bytes that this transfer fetched; bytes that it fetched twice count twice. It is less than
    /// ``length`` if the transfer continued from an earlier one.
    public var fetchedBytes: Int64

    /// The digest that was checked; `nil` if neither the caller nor the server specified one.
    public var digest: ContentDigest?

    /// The response to the last request of the download, without its body.
    public var response: HttpResponse

    /// Creates a description of a downloaded file.
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
