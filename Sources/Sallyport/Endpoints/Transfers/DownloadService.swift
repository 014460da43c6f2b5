import Foundation
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

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - service: Where files are downloaded from.
    ///   - folder: Where they go; unless given the app's documents, a folder that is made if it is not there.
    ///   - downloadIdentifier: What tells the transfer from others; a random one unless given.
    ///   - options: What to do with a file that is there, how to check the new one, and how to fetch it.
    ///   - downloadProgressCallback: Told at each step how far it has come, in bytes, and at the end; on no particular
    ///     thread.
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

    /// Downloads a file. It has its name once it is whole; a download that broke goes on when it is made again.
    ///
    /// - Parameters:
    ///   - downloadPath: Where it is, below the service's base URL.
    ///   - fileName: What it is called in the folder; unless given as the server says, or the URL.
    /// - Throws: ``NetworkServiceError`` saying what was kept.
    public func download(
        downloadPath: EndpointPath,
        fileName: String? = nil
    ) async throws(NetworkServiceError) -> DownloadedFile {
        try await service.calls.run {
            await self.downloads.run { await self.result(of: downloadPath, fileName) }
        }.get()
    }

    /// Downloads a file, and gives it or the error to a closure, once.
    ///
    /// - Returns: The download's task, to cancel it alone.
    @discardableResult
    public func download(
        downloadPath: EndpointPath,
        fileName: String? = nil,
        completion: @escaping @Sendable (Result<DownloadedFile, NetworkServiceError>) -> Void
    ) -> Task<Void, Never> {
        service.calls.start {
            completion(await self.downloads.run { await self.result(of: downloadPath, fileName) })
        }
    }

    /// Cancels what this downloads. What has been fetched is kept, and the same download goes on from there.
    public func cancelDownloadRequest() {
        downloads.cancelAll()
    }

    private func result(
        of path: EndpointPath,
        _ fileName: String?
    ) async -> Result<DownloadedFile, NetworkServiceError> {
        do throws(NetworkServiceError) {
            let transfer = service.client.download(
                try service.transferRequest(for: FileEndpoint(path: path)),
                to: try destination(fileName),
                options: options,
                identifier: service.transferIdentifier(identifier)
            )
            return .success(try await transfer.finished(telling: onProgress, service.reader))
        } catch {
            return .failure(error)
        }
    }

    private func destination(_ fileName: String?) throws(NetworkServiceError) -> DownloadDestination {
        let folder = if let folder = self.folder { folder } else { try documents() }
        guard let fileName else { return .folder(folder) }
        let isPlain =
            !fileName.isEmpty && ![".", ".."].contains(fileName) && !fileName.contains { "/\\\0".contains($0) }
        guard isPlain else {
            let reason = "\"\(VisibleText.line(fileName))\" is not the name of a file in a folder"
            throw .invalidEndpoint(NetworkServiceErrorInfo(reason, advice: "give a name without a path"))
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
            let reason = "the folder of documents cannot be used: \(error.localizedDescription)"
            throw .invalidConfiguration(NetworkServiceErrorInfo(reason, advice: "give the folder"))
        }
    }
}

/// A file below the base URL.
private struct FileEndpoint: Endpoint {
    let path: EndpointPath
}
