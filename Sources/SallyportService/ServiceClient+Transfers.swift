import Foundation
import Sallyport
import SallyportTransfers
import SallyportTransport

extension ServiceClient {
    /// Downloads the response of an endpoint into a file.
    ///
    /// The file exists under its name only once it is complete. An interrupted download continues when it is repeated.
    ///
    /// ```swift
    /// let map = try await service.download(GetMap(region: "rome"), to: .folder(folder)) { progress in
    ///     print(progress.fraction ?? 0)
    /// }
    /// print(map.url.path)
    /// ```
    ///
    /// The service's timeout limits the time until the response begins, not the download. An endpoint can set a timeout of its own,
    /// which limits the complete download.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint. It needs no ``Endpoint/Response``.
    ///   - destination: A file, or a folder. In a folder, the file has the name that the server or the URL gives it.
    ///   - options: The options of the download.
    ///   - onProgress: A closure that is called with each progress and with the complete one, on an arbitrary thread.
    /// - Throws: ``NetworkServiceError``. In its ``NetworkServiceErrorInfo/transferError``, `resumableBytes` is the number of bytes
    ///   from which the download continues when it is repeated.
    public func download(
        _ endpoint: some Endpoint,
        to destination: DownloadDestination,
        options: DownloadOptions = DownloadOptions(),
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkServiceError) -> DownloadedFile {
        let transfer = client.download(try transferRequest(for: endpoint), to: destination, options: options)
        return try await value(of: transfer, endpoint, onProgress)
    }

    /// Uploads the body of an endpoint, such as a file or a form with files, and returns the typed response.
    ///
    /// ```swift
    /// struct AddPhoto: Endpoint {
    ///     typealias Response = Photo
    ///     var photo: URL
    ///     var path: EndpointPath { "/photos" }
    ///     var body: EndpointBody { .raw(.file(photo), contentType: "image/jpeg") }
    /// }
    ///
    /// let photo = try await service.upload(AddPhoto(photo: file)) { progress in
    ///     print(progress.fraction ?? 0)
    /// }
    /// ```
    ///
    /// The service's timeout limits the time until the response begins, not the upload. An endpoint can set a timeout of its own,
    /// which limits the complete upload.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - options: The options of the upload.
    ///   - onProgress: A closure that is called with each progress and with the complete one, on an arbitrary thread.
    /// - Throws: ``NetworkServiceError``, with the server's message if it responded.
    @discardableResult
    public func upload<E: Endpoint>(
        _ endpoint: E,
        options: UploadOptions = UploadOptions(),
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(NetworkServiceError) -> E.Response {
        let transfer = client.upload(try transferRequest(for: endpoint), options: options)
        return try read(try await value(of: transfer, endpoint, onProgress), as: endpoint)
    }

    /// Returns the request of a transfer. The service's timeout applies to the time until the response begins.
    private func transferRequest(for endpoint: some Endpoint) throws(NetworkServiceError) -> HttpRequest {
        var request = try request(for: endpoint)
        if request.timeout == configuration.timeout, request.timeouts == nil {
            request.timeout = nil
            request.timeouts = Timeouts(head: TimeLimit.duration(configuration.timeout), total: nil)
        }
        return request
    }

    /// Waits for a transfer, and returns its value. The last progress is reported before the method returns.
    private func value<Value>(
        of transfer: Transfer<Value>,
        _ endpoint: some Endpoint,
        _ onProgress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(NetworkServiceError) -> Value {
        let result = await withTaskGroup(of: Void.self) { group in
            if let onProgress {
                group.addTask { for await progress in transfer.progress { onProgress(progress) } }
            }
            return await transfer.result
        }
        do throws(TransferError) {
            return try result.get()
        } catch {
            throw failure(error, of: endpoint)
        }
    }

    private func failure(_ error: TransferError, of endpoint: some Endpoint) -> NetworkServiceError {
        var info = NetworkServiceErrorInfo(error.description)
        info.transferError = error
        switch error.reason {
        case .status(let response):
            info = reader.refusal(response, of: endpoint)
            info.transferError = error
            return .refused(info)
        case .network(let networkError):
            info.networkError = networkError
            return .callFailed(info)
        default:
            return .transferFailed(info)
        }
    }
}
