import Foundation
import Sallyport
import SallyportTransfers
import SallyportTransport

/// Downloads files of a service into a folder.
///
/// ```swift
/// let downloads = DownloadService(service, folder: folder) { progress in print(progress.fractionCompleted) }
/// let file = try await downloads.download(downloadPath: "/maps/rome", fileName: "rome.zip")
/// print(file.url.path)
/// ```
public final class DownloadService: Sendable {
    private let service: NetworkService
    private let folder: URL?
    private let identifier: String?
    private let options: DownloadOptions
    private let onProgress: (@Sendable (Progress) -> Void)?
    private let downloads = ServiceCalls()

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - service: The service that provides the files.
    ///   - folder: The destination folder; by default the app's documents folder, which is created if it does not
    ///     exist.
    ///   - downloadIdentifier: The identifier of the transfer; a random one unless specified.
    ///   - options: The options of the downloads.
    ///   - downloadProgressCallback: A closure that is called with the progress in bytes at each step and at the end,
    ///     on an arbitrary thread.
    public init(
        _ service: NetworkService,
        folder: URL? = nil,
        downloadIdentifier: String? = nil,
        options: DownloadOptions = DownloadOptions(),
        downloadProgressCallback: (@Sendable (Progress) -> Void)? = nil
    ) {
        self.service = service
        self.folder = folder
        identifier = downloadIdentifier
        self.options = options
        onProgress = downloadProgressCallback
    }

    /// Downloads a file. The file exists under its name only once it is complete; an interrupted download continues
    /// when it is repeated.
    ///
    /// ```swift
    /// let map = try await downloads.download(downloadPath: "/maps?format=zip", parameters: ["region": region])
    /// ```
    ///
    /// - Parameters:
    ///   - downloadPath: The path below the service's base URL, with or without a query. Its values are percent-encoded.
    ///   - parameters: The values for the names in braces in the path, and the query parameters, which follow the query of
    ///     the path.
    ///   - fileName: The name of the file in the folder; by default the name in the server's response or the URL.
    /// - Throws: ``NetworkServiceError``. In its ``NetworkServiceErrorInfo/transferError``, `resumableBytes` is the number of bytes
    ///   from which the download continues when it is repeated.
    public func download(
        downloadPath: EndpointPath,
        parameters: EndpointParameters = .none,
        fileName: String? = nil
    ) async throws(NetworkServiceError) -> DownloadedFile {
        let cancelCount = downloads.cancelCount
        return try await service.calls.run {
            await self.downloads.run { await self.result(of: downloadPath, parameters, fileName, since: cancelCount) }
        }.get()
    }

    /// Downloads a file, and passes it or the error to a closure, exactly once, on the main actor; see
    /// ``download(downloadPath:parameters:fileName:)``.
    ///
    /// - Returns: The task of the download, with which it can be cancelled.
    @discardableResult
    public func download(
        downloadPath: EndpointPath,
        parameters: EndpointParameters = .none,
        fileName: String? = nil,
        completion: @escaping @MainActor (Result<DownloadedFile, NetworkServiceError>) -> Void
    ) -> Task<Void, Never> {
        let cancelCount = downloads.cancelCount
        return service.calls.start {
            await completion(
                self.downloads.run { await self.result(of: downloadPath, parameters, fileName, since: cancelCount) }
            )
        }
    }

    /// Cancels all downloads of this service. When a download is repeated, it continues from the bytes fetched so far,
    /// unless the session type is ``NetworkServiceSessionType/background``: its downloads are removed.
    public func cancelDownloadRequest() {
        downloads.cancelAll()
    }

    /// - Parameter cancelCount: The number of times that all downloads had been cancelled when the download was started.
    private func result(
        of path: EndpointPath,
        _ parameters: EndpointParameters,
        _ fileName: String?,
        since cancelCount: Int
    ) async -> Result<DownloadedFile, NetworkServiceError> {
        do throws(NetworkServiceError) {
            try downloads.checkNotCancelled(since: cancelCount)
            let request = try service.transferRequest(for: try FileEndpoint(path, parameters))
            let destination = try destination(fileName)
            let transferIdentifier = service.transferIdentifier(identifier)
            if service.configuration.sessionType == .background {
                let call = BackgroundCall(
                    request: request,
                    identifier: transferIdentifier,
                    onProgress: onProgress,
                    isAbandoned: { self.identifier == nil || self.downloads.cancelCount != cancelCount }
                )
                return .success(try await service.background.download(call, to: destination, options: options))
            }
            let transfer = service.client.download(
                request,
                to: destination,
                options: options,
                identifier: transferIdentifier
            )
            return .success(try await transfer.value(reporting: onProgress, failuresFrom: service.reader))
        } catch {
            return .failure(error)
        }
    }

    private func destination(_ fileName: String?) throws(NetworkServiceError) -> DownloadDestination {
        let folder = if let folder = self.folder { folder } else { try documents() }
        guard let fileName else { return .folder(folder) }
        let isValid =
            !fileName.isEmpty && ![".", ".."].contains(fileName) && !fileName.contains { "/\\\0".contains($0) }
        guard isValid else {
            let reason = "\"\(VisibleText.line(fileName))\" is not a file name"
            throw .invalidEndpoint(NetworkServiceErrorInfo(reason, advice: "specify a name without a path"))
        }
        return .file(folder.appendingPathComponent(fileName))
    }

    private func documents() throws(NetworkServiceError) -> URL {
        do {
            return try FileManager.default.url(
                for: .documentDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
        } catch {
            let reason = "the documents folder cannot be used: \(error.localizedDescription)"
            throw .invalidConfiguration(NetworkServiceErrorInfo(reason, advice: "specify the folder"))
        }
    }
}

/// A file below the base URL.
private struct FileEndpoint: Endpoint {
    let path: EndpointPath
    let parameters: EndpointParameters
    /// The query of the path, which precedes the parameters; `nil` if there is none.
    private let query: String?

    /// - Throws: ``NetworkServiceError/invalidEndpoint(_:)`` if the query of the path contains a fragment or a name in braces.
    init(_ path: EndpointPath, _ parameters: EndpointParameters) throws(NetworkServiceError) {
        (self.path, query) = path.splitAtQuery()
        self.parameters = parameters
        if query?.contains(where: { "#{}".contains($0) }) == true {
            let reason = "the query of the path \"\(VisibleText.line("\(path)"))\" contains #, { or }"
            throw .invalidEndpoint(NetworkServiceErrorInfo(reason, advice: "pass the values as parameters"))
        }
    }

    func prepare(_ request: inout HttpRequest) {
        // The path names one file, so it is not a template.
        request.urlTemplate = nil
        if let query { request.url? += "?" + query }
    }
}
