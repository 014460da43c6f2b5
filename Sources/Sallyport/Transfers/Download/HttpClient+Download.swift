import Foundation

extension HttpClient {
    /// Downloads a file, going on from where an earlier attempt stopped.
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
