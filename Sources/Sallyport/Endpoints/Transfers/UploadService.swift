import Foundation
import SallyportTransport

/// Uploads the files of an endpoint, and gives the endpoint's typed answer.
///
/// ```swift
/// let upload = UploadService(AddPhotos(album: "Rome", files: [.file(photo)]), service: service) { progress in
///     print(progress.fractionCompleted)
/// }
/// let photos = try await upload.upload(withKey: "photos")
/// ```
public final class UploadService<Target: UploadEndpoint>: Sendable {
    private let endpoint: Target
    private let service: NetworkService
    private let identifier: String?
    private let options: UploadOptions
    private let onProgress: (@Sendable (Progress) -> Void)?
    private let uploads = ServiceCalls()

    /// Makes a service for one endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: Where the files go, and which they are.
    ///   - service: The service that the endpoint belongs to.
    ///   - uploadIdentifier: What tells the transfer from others; a random one unless given.
    ///   - options: Whether and how an upload goes on after it broke.
    ///   - uploadProgressCallback: Told at each step how far it has come, in bytes, and at the end; on no particular
    ///     thread.
    public init(
        _ endpoint: Target,
        service: NetworkService,
        uploadIdentifier: String? = nil,
        options: UploadOptions = UploadOptions(),
        uploadProgressCallback: (@Sendable (Progress) -> Void)? = nil
    ) {
        self.endpoint = endpoint
        self.service = service
        identifier = uploadIdentifier
        self.options = options
        onProgress = uploadProgressCallback
    }

    /// Uploads the files under a key, and gives the typed answer.
    ///
    /// The service's timeout limits the wait for the answer, not the upload.
    ///
    /// - Throws: ``NetworkServiceError`` with what the server said, if it answered.
    public func upload(withKey key: String) async throws(NetworkServiceError) -> Target.Response {
        try await service.calls.run { await self.uploads.run { await self.result(withKey: key) } }.get()
    }

    /// Uploads the files under a key, and gives the typed answer or the error to a closure, once.
    ///
    /// - Returns: The upload's task, to cancel it alone.
    @discardableResult
    public func upload(
        withKey key: String,
        completion: @escaping @Sendable (Result<Target.Response, NetworkServiceError>) -> Void
    ) -> Task<Void, Never> {
        service.calls.start { completion(await self.uploads.run { await self.result(withKey: key) }) }
    }

    /// Cancels what this uploads.
    public func cancelUploadRequest() {
        uploads.cancelAll()
    }

    private func result(withKey key: String) async -> Result<Target.Response, NetworkServiceError> {
        do throws(NetworkServiceError) {
            let transfer = service.client.upload(
                try request(withKey: key),
                options: options,
                identifier: service.transferIdentifier(identifier)
            )
            let response = try await transfer.finished(telling: onProgress, service.reader)
            return .success(try service.reader.read(response, as: endpoint))
        } catch {
            return .failure(error)
        }
    }

    private func request(withKey key: String) throws(NetworkServiceError) -> HttpRequest {
        var form = MultipartForm()
        do {
            for field in try endpoint.fields.pairs(by: URLQueryEncoder(service.configuration.formEncoder.options)) {
                form.append(name: field.name, value: field.value)
            }
        } catch {
            let reason = "\(Target.self): the fields cannot be encoded at \(UnwritableParameter(error))"
            throw .invalidEndpoint(NetworkServiceErrorInfo(reason))
        }
        for file in endpoint.files { file.append(to: &form, key: key) }
        return try service.transferRequest(for: endpoint) { request in
            request.multipart(form)
            request.setMethod(endpoint.method)
        }
    }
}
