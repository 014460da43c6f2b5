import Foundation
import Sallyport

extension HttpClient {
    /// Uploads the body of a request, and continues after the connection breaks if the server supports it.
    ///
    /// ```swift
    /// let transfer = client.upload { request in
    ///     request.url = "https://api.example.com/photos"
    ///     request.multipart(form)
    /// }
    /// let response = try await transfer.value
    /// ```
    ///
    /// There is no limit on the total time unless the request sets one: bytes must keep moving, and the response must
    /// arrive within the client's timeout after the last byte. A GET becomes a POST. After a pause, the upload
    /// continues from the bytes that the server has, or from the beginning if the server has none.
    ///
    /// ``Transfer/cancel()`` also cancels the upload at the server; so does cancelling the task that awaits the
    /// transfer if there is no journal to continue from. If the response was lost, but the server confirms that it has
    /// received everything, the value is the confirmation, a 204 response without a body.
    ///
    /// - Parameters:
    ///   - options: The journal, and the retry policy.
    ///   - identifier: The identifier of the transfer; a random one unless specified.
    ///   - builder: A closure that configures the request, with a form or a body of data, a file or a stream.
    /// - Returns: The transfer, which has started. Its value is the server's response, which is a success, with its
    ///   body in memory.
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
        Transfer(identifier: identifier) { control async throws(TransferError) in
            try await UploadSession.begin(request, by: self, options, control).run()
        }
    }
}

extension HttpClient {
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
