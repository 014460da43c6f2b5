import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers
import SallyportTransport

/// The transfers of a service with the session type ``NetworkServiceSessionType/background``.
extension NetworkService {
    /// Returns the identifiers of the background transfers that have not ended, have failed, or whose results have not been
    /// delivered, in alphabetical order.
    ///
    /// Repeat the upload or download with its identifier to continue it, or to receive its result:
    ///
    /// ```swift
    /// for identifier in try await service.backgroundTransfers() {
    ///     let uploads = UploadService(AddPhotos(album: identifier, files: []), service: service, uploadIdentifier: identifier)
    ///     let photos = try await uploads.upload(withKey: "photos")
    /// }
    /// ```
    ///
    /// - Throws: ``NetworkServiceError/invalidConfiguration(_:)`` if there is no folder for the transfers.
    public func backgroundTransfers() async throws(NetworkServiceError) -> [String] {
        let prefix = transferIdentifier("")
        return await BackgroundTransfer.identifiers(in: try transferFolder())
            .filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }

    /// Cancels a background transfer, at its server too, and removes it with its bytes. A complete file is kept.
    ///
    /// ```swift
    /// try await service.removeBackgroundTransfer("map")
    /// ```
    ///
    /// - Parameter identifier: The identifier of the transfer.
    /// - Throws: ``NetworkServiceError/transferFailed(_:)`` if an upload or download is performing the transfer: cancel that
    ///   one instead.
    public func removeBackgroundTransfer(_ identifier: String) async throws(NetworkServiceError) {
        let transfer = try backgroundTransfer(transferIdentifier(identifier), client.configuration.timeouts, .never)
        defer { transfer.unlock() }
        await transfer.remove()
    }

    /// Handles the events of a background session, for which Apple's systems have launched the app. On Linux, which has no
    /// background sessions, the completion handler is called without waiting for events.
    ///
    /// Call it in the app's delegate with the parameters of `handleEventsForBackgroundURLSession`. Then repeat the transfer
    /// with the same service to receive its result.
    ///
    /// ```swift
    /// service.handleEvents(forBackgroundSession: identifier) { completionHandler() }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the session: ``NetworkServiceConfiguration/clientBundle``, a dot, and the
    ///     identifier of the transfer.
    ///   - completionHandler: A closure that is called on the main actor when all events have been handled.
    public func handleEvents(
        forBackgroundSession identifier: String,
        completionHandler: @escaping @MainActor () -> Void
    ) {
        sessions.handleEvents(
            of: identifier,
            client: backgroundClient(client.configuration.timeouts),
            completionHandler: completionHandler
        )
    }

    /// Downloads a file in the background.
    ///
    /// - Parameters:
    ///   - request: The request of the download.
    ///   - identifier: The identifier of the transfer.
    ///   - isAbandoned: A closure that returns `true` if the transfer was cancelled and must not be continued later.
    func downloadInBackground(
        _ request: HttpRequest,
        to destination: DownloadDestination,
        options: DownloadOptions,
        identifier: String,
        reporting onProgress: (@Sendable (Progress) -> Void)?,
        isAbandoned: () -> Bool
    ) async throws(NetworkServiceError) -> DownloadedFile {
        let stored = try stored(request)
        var download = QueuedDownload(stored.url, to: destination)
        download.headers = stored.headers
        download.existingFile = options.existingFile
        download.digest = options.digest
        download.maximumSize = options.maximumSize
        download.connections = options.connections
        let transfer = QueuedTransfer(.download(download), identifier: identifier)
        let report = try await perform(identifier, request, options.retry, isAbandoned) {
            background async throws(TransferError) in
            try await background.perform(transfer, reporting: onProgress)
        }
        guard case .file(let url, let length) = report.result else { throw failure(of: report, request) }
        return DownloadedFile(
            url: url,
            length: length,
            fetchedBytes: length,
            digest: options.digest,
            response: HttpResponse(status: .ok, body: nil, request: request)
        )
    }

    /// Uploads the body of a request in the background. The body is stored in a file until the upload has succeeded.
    ///
    /// - Parameters:
    ///   - request: The request of the upload.
    ///   - identifier: The identifier of the transfer.
    ///   - isAbandoned: A closure that returns `true` if the transfer was cancelled and must not be continued later.
    func uploadInBackground(
        _ request: HttpRequest,
        options: UploadOptions,
        identifier: String,
        reporting onProgress: (@Sendable (Progress) -> Void)?,
        isAbandoned: () -> Bool
    ) async throws(NetworkServiceError) -> HttpResponse {
        let stored = try stored(request)
        let report = try await perform(identifier, request, options.retry, isAbandoned) {
            background async throws(TransferError) in
            var upload = QueuedUpload(.file(background.body), to: stored.url)
            upload.method = request.getMethod().rawValue
            upload.headers = stored.headers
            upload.isResumable = options.isResumable
            let transfer = QueuedTransfer(.upload(upload), identifier: identifier)
            return try await background.perform(transfer, storing: request.body, reporting: onProgress)
        }
        guard report.state == .finished, case .response(let status, let body) = report.result else {
            throw failure(of: report, request)
        }
        return HttpResponse(status: HttpStatus(code: status), body: body, request: request)
    }

    /// Opens a background transfer and performs it. If it was abandoned, removes it.
    private func perform(
        _ identifier: String,
        _ request: HttpRequest,
        _ retry: RetryPolicy,
        _ isAbandoned: () -> Bool,
        _ work: (BackgroundTransfer) async throws(TransferError) -> TransferReport
    ) async throws(NetworkServiceError) -> TransferReport {
        let timeouts = request.timeouts ?? client.configuration.timeouts
        let transfer = try backgroundTransfer(identifier, timeouts, retry)
        defer { transfer.unlock() }
        do throws(TransferError) {
            return try await work(transfer)
        } catch {
            // In a new task, as this one has been cancelled.
            if error.isCancellation, isAbandoned() { await Task { await transfer.remove() }.value }
            throw reader.failure(error)
        }
    }

    private func backgroundTransfer(
        _ identifier: String,
        _ timeouts: Timeouts,
        _ retry: RetryPolicy
    ) throws(NetworkServiceError) -> BackgroundTransfer {
        let folder = try transferFolder()
        do throws(TransferError) {
            return try BackgroundTransfer(
                identifier,
                in: folder,
                sessions: sessions,
                client: backgroundClient(timeouts),
                retry: retry
            )
        } catch {
            throw reader.failure(error)
        }
    }

    /// Returns the error of a transfer that has failed or was cancelled.
    private func failure(of report: TransferReport, _ request: HttpRequest) -> NetworkServiceError {
        if report.state == .cancelled {
            return reader.failure(TransferError(.network(.cancelled("the transfer was cancelled"))))
        }
        guard case .response(let status, let body) = report.result else {
            return .transferFailed(NetworkServiceErrorInfo(report.error ?? "the transfer failed"))
        }
        let response = HttpResponse(status: HttpStatus(code: status), body: body, request: request)
        return .refused(reader.refusal(response))
    }

    // MARK: Requests

    /// An endpoint whose request has only what all requests of the service have.
    private struct Root: Endpoint {
        let path: EndpointPath = ""
    }

    /// The headers of all requests of the service that contain secrets, which must not be stored.
    private var secretHeaders: [HTTPField] {
        guard let request = try? request(for: Root()) else { return [] }
        return request.fields.filter(Redaction.containsSecret)
    }

    /// Returns the parts of a request that are stored: its URL, and its headers except those that
    /// ``backgroundClient(_:)`` adds.
    private func stored(
        _ request: HttpRequest
    ) throws(NetworkServiceError) -> (url: String, headers: [String: String]) {
        var stored = request
        for field in secretHeaders { stored.removeHeader(name: field.name.rawName) }
        do throws(NetworkError) {
            let target = try RequestTarget(url: request.url, parameters: request.parameters)
            return (target.url, stored.getHeaders())
        } catch {
            throw .wrapping(error)
        }
    }

    /// Returns the client of a background transfer, which adds the headers that are not stored.
    private func backgroundClient(_ timeouts: Timeouts) -> HttpClient {
        let secrets = secretHeaders
        return client.derived { config in
            config.timeouts = timeouts
            config.onRequest { request in
                for field in secrets where !request.fields.contains(field.name) { request.fields.append(field) }
            }
        }
    }

    private func transferFolder() throws(NetworkServiceError) -> URL {
        if let folder = configuration.transferFolder { return folder }
        do {
            let folder = try FileManager.default.url(
                for: .applicationSupportDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
            return folder.appendingPathComponent(configuration.clientBundle, isDirectory: true)
                .appendingPathComponent("transfers", isDirectory: true)
        } catch {
            let reason = "the folder for application support cannot be used: \(error.localizedDescription)"
            throw .invalidConfiguration(NetworkServiceErrorInfo(reason, advice: "set transferFolder"))
        }
    }
}
