import Foundation

extension HttpClient {
    /// Uploads the body of a request, going on after a broken connection where the server lets it.
    ///
    /// ```swift
    /// let transfer = client.upload { request in
    ///     request.url = "https://api.example.com/photos"
    ///     request.multipart(form)
    /// }
    /// let response = try await transfer.value
    /// ```
    ///
    /// It has no limit on its whole time, unless the request sets one: bytes must keep moving, and the answer come within
    /// the client's timeout after the last of them. A GET becomes a POST. Paused, it goes on from what the server has, or
    /// from its beginning if the server keeps nothing. Cancelled by ``Transfer/cancel()``, the server is told to forget
    /// it, and so it is if the task is cancelled and there is no journal by which it can go on. If the answer was lost on
    /// the way, but the server says that it has everything, then the value is that answer, a 204 without a body.
    ///
    /// - Parameters:
    ///   - options: Whether and how it goes on after it broke.
    ///   - identifier: What tells the transfer from others; a random one unless given.
    ///   - builder: Builds the request: a form, or a body of data, of a file or of a stream.
    /// - Returns: The transfer, which has begun. Its value is the server's answer, a success, with its body in memory.
    public func upload(
        options: UploadOptions = UploadOptions(),
        identifier: String? = nil,
        _ builder: (inout HttpRequest) -> Void
    ) -> Transfer<HttpResponse> {
        var request = request()
        builder(&request)
        return upload(request, options: options, identifier: identifier)
    }

    /// Uploads the body of a request; see ``upload(options:identifier:_:)``.
    public func upload(
        _ request: HttpRequest,
        options: UploadOptions = UploadOptions(),
        identifier: String? = nil
    ) -> Transfer<HttpResponse> {
        Transfer(identifier: identifier) { [self] control async throws(TransferError) in
            try await UploadSession.begin(request, by: self, options, control).run()
        }
    }

    /// Cancels an upload at the server, which can then discard the bytes that it has received.
    ///
    /// - Parameters:
    ///   - request: The request of the upload.
    ///   - resource: The upload resource that the server has created.
    /// - Returns: `true` if the server confirmed it within five seconds.
    func cancelUpload(_ request: HttpRequest, at resource: UploadResource) async -> Bool {
        var cancellation = request.cancellation(of: resource)
        cancellation.timeout = 5
        cancellation.retry = .never
        return (try? await self.request(request: cancellation))?.status.isSuccess() ?? false
    }
}
