import Foundation

extension HttpClient {
    /// Downloads a file, going on from where an earlier attempt stopped.
    ///
    /// Until the file is whole its bytes are beside the destination in a hidden file, `.map.zip.sallyport`, and a journal
    /// says which of them are there, with a sum for each block. So whatever ends a download, in this process or with
    /// it, the same one goes on from there: with ranges of the version that it began with, or from the beginning if
    /// the server has another by now, if it cannot send ranges, or if it tells no version from another. What is there
    /// is read and compared with its sums first; what was harmed meanwhile is fetched again.
    ///
    /// What another user could have written is not used: a partial file that belongs to another user, or that others may
    /// write to, is removed, and the download starts over. On file systems without owners or permissions it always does.
    ///
    /// A download to a folder finds its bytes by the URL, so one with another URL starts over.
    ///
    /// The call as a whole has no limit of time: each answer must begin within the client's timeout, and bytes must keep
    /// coming. A pause closes the connection.
    ///
    /// ```swift
    /// let transfer = client.download(to: .file(URL(fileURLWithPath: "/tmp/map.zip"))) { request in
    ///     request.url = "https://example.com/map.zip"
    /// }
    /// let file = try await transfer.value
    /// ```
    ///
    /// - Parameters:
    ///   - destination: Where it goes. The file has that name only once it is whole.
    ///   - options: What to do with a file that is there, how to check the new one, and how to fetch it.
    ///   - identifier: What tells the transfer from others; a random one unless given.
    ///   - builder: Builds the request, a GET.
    /// - Returns: The transfer, which has begun.
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
        Transfer(identifier: identifier) { [self] control throws(TransferError) in
            try await DownloadRun(request, by: self, to: destination, options: options, control: control).run()
        }
    }
}

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
