import Foundation
import Sallyport
import SallyportService
import SallyportStorage
import SallyportTransfers

/// The declaration of an upload: its path, its files, and the model in the response.
///
/// ```swift
/// struct AddPhotos: UploadServiceDelegate {
///     static var path = "/photos"
///     static var method = NetworkServiceHTTPMethod.post
///     static var parameters: [String: Any]? = [:]
///     typealias V = Album
/// }
///
/// AddPhotos.parameters = ["rome.jpg": photo]
/// ```
///
/// In Swift 6 language mode, declare the static properties with `nonisolated(unsafe) static var`. Assign them only on the thread that
/// starts the uploads.
public protocol UploadServiceDelegate: NetworkServiceDelegate {
    /// The files. Each value is a file URL, its text, or the data of a file with the key as its name. Any other text is
    /// sent as data.
    static var parameters: [String: Any]? { get set }
}

/// Uploads the files that an ``UploadServiceDelegate`` declares, in a background session.
///
/// ```swift
/// UploadService<AddPhotos>(uploadIdentifier: nil) { progress in print(progress.fractionCompleted) }
///     .upload(withKey: "photos") { response, error in print(response?.data?.title ?? "no album") }
/// ```
open class UploadService<T: UploadServiceDelegate>: BaseRequestService {
    /// A closure that receives the progress of an upload.
    public typealias UploadProgressCallback = (Progress) -> Void

    /// A closure that is called on the main actor with the progress in bytes.
    @preconcurrency public var uploadProgressCallback: (@MainActor (Progress) -> Void)?

    private let identifier: String?
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - uploadIdentifier: The identifier of the background session. If the process ends during an upload, the same upload
    ///     with the same identifier continues it. If it is `nil`, the identifier is random.
    ///   - uploadProgressCallback: A closure that is called on the main actor with the progress in bytes.
    @preconcurrency public init(
        uploadIdentifier: String?,
        uploadProgressCallback: (@MainActor (Progress) -> Void)?
    ) {
        identifier = uploadIdentifier
        self.uploadProgressCallback = uploadProgressCallback
        super.init(.background)
    }

    /// Uploads the files in a multipart form.
    ///
    /// - Parameters:
    ///   - key: The name of the form fields.
    ///   - callback: A closure that is called once, on the main actor, with either a response or an error; see
    ///     ``NetworkService/call(requestParams:callback:)``.
    @preconcurrency public func upload(
        withKey key: String,
        callback: @escaping @MainActor (BaseResponse<T.V>?, NetworkServiceErrorInfo?) -> Void
    ) {
        do throws(NetworkServiceError) {
            let service = try configuration.makeService()
            let identifier = identifier?.sessionIdentifier
            var options = UploadOptions()
            options.retry = .never
            let uploads = SallyportService.UploadService(
                try FilesEndpoint(T.self),
                service: service,
                uploadIdentifier: identifier,
                options: options,
                uploadProgressCallback: uploadProgressCallback.map(onMainActor)
            )
            let upload = Self.start(identifier, by: service) { () async throws(NetworkServiceError) in
                try await uploads.upload(withKey: key)
            } completion: { result in
                result.deliver(to: callback)
            }
            task.withLock { $0 = upload }
        } catch {
            // It ends with the callback.
            Task { @MainActor in callback(nil, error.info) }
        }
    }

    /// Cancels the last upload of this service if it is in progress. Its callback receives an error.
    public func cancelUploadRequest() {
        task.withLock { $0 }?.cancel()
    }
}

/// The request that an ``UploadServiceDelegate`` declares.
private struct FilesEndpoint: UploadEndpoint {
    typealias Response = Envelope

    private let endpoint: DelegateEndpoint
    let files: [FilePart]

    var path: EndpointPath { endpoint.path }
    var method: HttpMethod { endpoint.method }

    init<T: UploadServiceDelegate>(_ delegate: T.Type) throws(NetworkServiceError) {
        endpoint = try DelegateEndpoint(delegate, parameters: nil)
        var files: [FilePart] = []
        for (name, value) in (T.parameters ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let file = FilePart(value, name: name) else {
                let reason = "\(delegate): the parameter \(name) is neither a file URL nor data"
                throw .invalidEndpoint(NetworkServiceErrorInfo(reason))
            }
            files.append(file)
        }
        if files.isEmpty { throw .invalidEndpoint(NetworkServiceErrorInfo("\(delegate): there are no files")) }
        self.files = files
    }

    func prepare(_ request: inout HttpRequest) { endpoint.prepare(&request) }
}

extension FilePart {
    /// Creates a part from a file URL, its text, data or any other text.
    ///
    /// - Parameter name: The name of the file, if the value has none.
    fileprivate init?(_ value: Any, name: String) {
        switch value {
        case let url as URL where url.isFileURL: self = .file(url)
        case let data as Data: self = .data(data, filename: name)
        case let text as String:
            guard let url = URL(string: text), url.isFileURL else {
                self = .data(Data(text.utf8), filename: name)
                return
            }
            self = .file(url)
        default: return nil
        }
    }
}
