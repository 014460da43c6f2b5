import Foundation
import Sallyport
import SallyportTransfers
import SallyportTransport

/// Uploads the files of an endpoint, and returns the typed response.
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

    /// Creates a service for one endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint with its files.
    ///   - service: The service that the endpoint belongs to.
    ///   - uploadIdentifier: The identifier of the transfer; a random one unless specified.
    ///   - options: The options of the upload.
    ///   - uploadProgressCallback: A closure that is called with the progress in bytes at each step and at the end, on
    ///     an arbitrary thread.
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

    /// Uploads the files, and returns the typed response.
    ///
    /// The service's timeout limits the time until the response begins, not the upload.
    ///
    /// - Parameter key: The name of the form field that contains the files.
    /// - Throws: ``NetworkServiceError``, with the server's message if it responded.
    public func upload(withKey key: String) async throws(NetworkServiceError) -> Target.Response {
        let cancelCount = uploads.cancelCount
        return try await service.calls.run {
            await self.uploads.run { await self.result(withKey: key, since: cancelCount) }
        }.get()
    }

    /// Uploads the files, and passes the typed response or the error to a closure, exactly once.
    ///
    /// - Parameters:
    ///   - key: The name of the form field that contains the files.
    ///   - completion: The closure, which is called on the main actor.
    /// - Returns: The task of the upload, with which it can be cancelled.
    @discardableResult
    public func upload(
        withKey key: String,
        completion: @escaping @MainActor (Result<Target.Response, NetworkServiceError>) -> Void
    ) -> Task<Void, Never> {
        let cancelCount = uploads.cancelCount
        return service.calls.start {
            await completion(self.uploads.run { await self.result(withKey: key, since: cancelCount) })
        }
    }

    /// Cancels all uploads of this service.
    public func cancelUploadRequest() {
        uploads.cancelAll()
    }

    /// - Parameter cancelCount: The number of times that all uploads had been cancelled when the upload was started.
    private func result(
        withKey key: String,
        since cancelCount: Int
    ) async -> Result<Target.Response, NetworkServiceError> {
        do throws(NetworkServiceError) {
            try uploads.checkNotCancelled(since: cancelCount)
            let form = try form(withKey: key)
            let request = try request(with: form)
            let transferIdentifier = service.transferIdentifier(identifier)
            let response: HttpResponse
            if service.configuration.sessionType == .background {
                let call = BackgroundCall(
                    request: request,
                    identifier: transferIdentifier,
                    // An upload can be continued without its files, which may no longer exist.
                    fingerprint: endpoint.files.isEmpty ? nil : form.fingerprint,
                    onProgress: onProgress,
                    isAbandoned: { self.identifier == nil || self.uploads.cancelCount != cancelCount }
                )
                response = try await service.background.upload(call, options: options)
            } else {
                let transfer = service.client.upload(request, options: options, identifier: transferIdentifier)
                response = try await transfer.value(reporting: onProgress, failuresFrom: service.reader)
            }
            return .success(try service.reader.read(response, as: endpoint))
        } catch {
            return .failure(error)
        }
    }

    private func form(withKey key: String) throws(NetworkServiceError) -> MultipartForm {
        var form = MultipartForm()
        do {
            for field in try endpoint.fields.pairs(by: URLQueryEncoder(service.configuration.formEncoder.options)) {
                form.append(name: field.name, value: field.value)
            }
        } catch {
            let reason = "\(Target.self): the fields cannot be encoded at \(ParameterEncodingProblem(error))"
            throw .invalidEndpoint(NetworkServiceErrorInfo(reason))
        }
        for file in endpoint.files { file.append(to: &form, key: key) }
        return form
    }

    private func request(with form: MultipartForm) throws(NetworkServiceError) -> HttpRequest {
        try service.transferRequest(for: endpoint) { request in
            request.multipart(form)
            request.setMethod(endpoint.method)
        }
    }
}
