import Foundation
import SallyportService
import SallyportStorage
import SallyportTransfers

/// Downloads files into your app's documents directory.
///
/// ```swift
/// DownloadService(serviceConfiguration: nil, downloadIdentifier: nil) { progress in print(progress.fractionCompleted) }
///     .download(downloadPath: "/maps/rome", fileName: "rome.zip") { file, error in show(file as? Data) }
/// ```
open class DownloadService: BaseRequestService {
    /// A closure that receives the progress of a download.
    public typealias DownloadProgressCallback = (Progress) -> Void

    /// A closure that receives the data of the downloaded file, or an error.
    public typealias DownloadResponseCallback = (Any?, NetworkServiceErrorInfo?) -> Void

    /// A closure that is called on the main actor with the progress in bytes.
    @preconcurrency public var downloadProgressCallback: (@MainActor (Progress) -> Void)?

    private let identifier: String?

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - serviceConfiguration: The configuration; `nil` for a background session.
    ///   - downloadIdentifier: The identifier of the background session. If the process ends during a download, the same download
    ///     with the same identifier continues it. If it is `nil`, the identifier is random.
    ///   - downloadProgressCallback: A closure that is called on the main actor with the progress in bytes.
    @preconcurrency public init(
        serviceConfiguration: ServiceConfiguration?,
        downloadIdentifier: String?,
        downloadProgressCallback: (@MainActor (Progress) -> Void)?
    ) {
        identifier = downloadIdentifier
        self.downloadProgressCallback = downloadProgressCallback
        super.init(serviceConfiguration ?? .background)
    }

    /// Downloads a file into the documents directory, where it replaces a file with the same name.
    ///
    /// - Parameters:
    ///   - downloadPath: The path below ``NetworkServiceConfiguration/baseUrl``, possibly with a query.
    ///   - fileName: The name of the file; by default the name in the response or the path.
    ///   - callback: A closure that is called once, on the main actor, with the `Data` of the file, which is mapped into
    ///     memory, or with an error.
    @preconcurrency public func download(
        downloadPath: String,
        fileName: String?,
        callback: @escaping @MainActor (Any?, NetworkServiceErrorInfo?) -> Void
    ) {
        do throws(NetworkServiceError) {
            let download = try download(PathEndpoint<NoContent>(file: downloadPath), to: try Self.destination(fileName))
            start { () async throws(NetworkServiceError) in
                let file = try await download()
                return try await runBlocking { () throws(NetworkServiceError) in try Self.data(of: file) }
            } completion: { result in
                switch result {
                case .success(let data): callback(data, nil)
                case .failure(let error): callback(nil, error.info)
                }
            }
        } catch {
            // It ends with the callback.
            Task { @MainActor in callback(nil, error.info) }
        }
    }

    /// Returns a closure that downloads a file in the session of the configuration.
    private func download(
        _ endpoint: PathEndpoint<NoContent>,
        to destination: DownloadDestination
    ) throws(NetworkServiceError) -> @Sendable () async throws(NetworkServiceError) -> URL {
        let onProgress = downloadProgressCallback.map(onMainActor)
        if configuration.serviceSessionType == .background {
            let call = try BackgroundCall(endpoint, identifier: identifier, configuration)
            return { () async throws(NetworkServiceError) in
                try await call.download(to: destination, onProgress: onProgress)
            }
        }
        let service = try configuration.makeService()
        return { () async throws(NetworkServiceError) in
            var options = DownloadOptions()
            options.existingFile = .replace
            options.retry = .never
            return try await service.download(endpoint, to: destination, options: options, onProgress: onProgress).url
        }
    }

    /// Returns the destination in the documents directory.
    private static func destination(_ fileName: String?) throws(NetworkServiceError) -> DownloadDestination {
        let folder = try documents().standardizedFileURL
        guard let fileName else { return .folder(folder) }
        let isName = !["", ".", ".."].contains(fileName) && !fileName.contains { "/\\\0".contains($0) }
        if !isName {
            let advice = "specify a name without a path"
            throw .invalidEndpoint(NetworkServiceErrorInfo("\"\(fileName)\" is not a file name", advice: advice))
        }
        return .file(folder.appendingPathComponent(fileName))
    }

    private static func documents() throws(NetworkServiceError) -> URL {
        if let folder = SharedState.shared.withLock({ $0.folders?.documents }) { return folder }
        do {
            return try FileManager.default.url(
                for: .documentDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
        } catch {
            let reason = "the documents folder cannot be used: \(error.localizedDescription)"
            throw .invalidConfiguration(NetworkServiceErrorInfo(reason))
        }
    }

    private static func data(of file: URL) throws(NetworkServiceError) -> Data {
        do {
            return try Data(contentsOf: file, options: .mappedIfSafe)
        } catch {
            let reason = "the downloaded file \(file.path) cannot be read: \(error.localizedDescription)"
            throw .transferFailed(NetworkServiceErrorInfo(reason))
        }
    }
}
