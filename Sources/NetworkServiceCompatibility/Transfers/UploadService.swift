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
            let form = try T.form(withKey: key)
            let endpoint = PathEndpoint<Envelope>(T.path, method: T.method.native, body: .multipart(form))
            let call = try BackgroundCall(endpoint, identifier: identifier, configuration)
            let onProgress = uploadProgressCallback.map(onMainActor)
            let upload = start { () async throws(NetworkServiceError) in
                try await call.upload(fingerprint: form.fingerprint, onProgress: onProgress)
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

extension UploadServiceDelegate {
    /// Returns the form with the files.
    ///
    /// - Throws: ``NetworkServiceError/invalidEndpoint(_:)`` if there are no files, or a parameter is not a file.
    fileprivate static func form(withKey key: String) throws(NetworkServiceError) -> MultipartForm {
        var form = MultipartForm()
        for (name, value) in (parameters ?? [:]).sorted(by: { $0.key < $1.key }) {
            switch value {
            case let url as URL where url.isFileURL: form.append(name: key, file: url)
            case let data as Data: form.append(name: key, data: data, filename: name)
            case let text as String:
                if let url = URL(string: text), url.isFileURL {
                    form.append(name: key, file: url)
                } else {
                    form.append(name: key, data: Data(text.utf8), filename: name)
                }
            default: throw invalid("the parameter \(name) is neither a file URL nor data")
            }
        }
        if parameters?.isEmpty ?? true { throw invalid("there are no files") }
        return form
    }

    private static func invalid(_ reason: String) -> NetworkServiceError {
        .invalidEndpoint(NetworkServiceErrorInfo("\(Self.self): \(reason)"))
    }
}
