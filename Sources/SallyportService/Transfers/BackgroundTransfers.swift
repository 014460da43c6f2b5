import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers
import SallyportTransport

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
        return try await background.identifiers()
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
        try await background.remove(transferIdentifier(identifier))
    }

    /// Handles the events of a background session, for which Apple's systems have launched the app. On Linux, which has no
    /// background sessions, the completion handler is called soon.
    ///
    /// Call it in the app's delegate with the parameters of `handleEventsForBackgroundURLSession`. Then repeat the upload
    /// or download to receive its result.
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
        background.handleEvents(of: identifier, completionHandler: completionHandler)
    }
}

/// Performs and finds the background transfers of a service.
struct BackgroundTransfers: Sendable {
    /// A call of an upload or download service.
    struct Call {
        /// The identifier of the transfer.
        let identifier: String
        /// A closure that is called with the progress, and at last with the final one.
        let onProgress: (@Sendable (Progress) -> Void)?
        /// Returns a Boolean value that indicates whether a transfer that has not succeeded is not to be continued later.
        let isAbandoned: () -> Bool
    }

    private let configuration: NetworkServiceConfiguration
    private let client: HttpClient
    private let reader: EndpointResponseReader
    /// Returns the headers of all requests of the service.
    private let commonHeaders: @Sendable () -> HTTPFields
    private let sessions = BackgroundSessions()

    init(
        _ configuration: NetworkServiceConfiguration,
        client: HttpClient,
        reader: EndpointResponseReader,
        commonHeaders: @escaping @Sendable () -> HTTPFields
    ) {
        self.configuration = configuration
        self.client = client
        self.reader = reader
        self.commonHeaders = commonHeaders
    }

    /// Returns the identifiers of the transfers, in alphabetical order.
    func identifiers() async throws(NetworkServiceError) -> [String] {
        await BackgroundTransfer.identifiers(in: try folder())
    }

    /// Cancels a transfer, and removes it with its bytes.
    func remove(_ identifier: String) async throws(NetworkServiceError) {
        let transfer = try transfer(identifier, client.configuration.timeouts, .never)
        defer { transfer.unlock() }
        await transfer.remove()
    }

    /// Handles the events of a background session; see ``NetworkService/handleEvents(forBackgroundSession:completionHandler:)``.
    func handleEvents(of identifier: String, completionHandler: @escaping @MainActor () -> Void) {
        let client = client(with: client.configuration.timeouts)
        sessions.handleEvents(of: identifier, client: client, completionHandler: completionHandler)
    }

    /// Downloads a file.
    func download(
        _ request: HttpRequest,
        to destination: DownloadDestination,
        options: DownloadOptions,
        _ call: Call
    ) async throws(NetworkServiceError) -> DownloadedFile {
        let stored = try stored(request)
        var download = QueuedDownload(stored.url, to: destination)
        download.headers = stored.headers
        download.existingFile = options.existingFile
        download.digest = options.digest
        download.maximumSize = options.maximumSize
        download.connections = options.connections
        let queued = QueuedTransfer(.download(download), identifier: call.identifier)
        let report = try await perform(call, request, options.retry) { transfer async throws(TransferError) in
            try await transfer.perform(queued, reporting: call.onProgress)
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

    /// Uploads the body of a request, which is stored in a file until the upload has succeeded.
    func upload(
        _ request: HttpRequest,
        options: UploadOptions,
        _ call: Call
    ) async throws(NetworkServiceError) -> HttpResponse {
        let stored = try stored(request)
        let report = try await perform(call, request, options.retry) { transfer async throws(TransferError) in
            var upload = QueuedUpload(.file(transfer.body), to: stored.url)
            upload.method = request.getMethod().rawValue
            upload.headers = stored.headers
            upload.isResumable = options.isResumable
            let queued = QueuedTransfer(.upload(upload), identifier: call.identifier)
            return try await transfer.perform(queued, storing: request.body, reporting: call.onProgress)
        }
        guard report.state == .finished, case .response(let status, let body) = report.result else {
            throw failure(of: report, request)
        }
        return HttpResponse(status: HttpStatus(code: status), body: body, request: request)
    }

    /// Opens a transfer and performs it. If it was abandoned, removes it.
    private func perform(
        _ call: Call,
        _ request: HttpRequest,
        _ retry: RetryPolicy,
        _ work: (BackgroundTransfer) async throws(TransferError) -> TransferReport
    ) async throws(NetworkServiceError) -> TransferReport {
        let transfer = try transfer(call.identifier, request.timeouts ?? client.configuration.timeouts, retry)
        defer { transfer.unlock() }
        do throws(TransferError) {
            let report = try await work(transfer)
            if report.state != .finished, call.isAbandoned() { await transfer.remove() }
            return report
        } catch {
            // In a new task, as this one has been cancelled.
            if error.isCancellation, call.isAbandoned() { await Task { await transfer.remove() }.value }
            throw reader.failure(error)
        }
    }

    private func transfer(
        _ identifier: String,
        _ timeouts: Timeouts,
        _ retry: RetryPolicy
    ) throws(NetworkServiceError) -> BackgroundTransfer {
        let folder = try folder()
        do throws(TransferError) {
            return try BackgroundTransfer(
                identifier,
                in: folder,
                sessions: sessions,
                client: client(with: timeouts),
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

    /// The headers of all requests of the service that contain secrets, which must not be stored.
    private var secretHeaders: [HTTPField] { commonHeaders().filter(Redaction.containsSecret) }

    /// Returns the parts of a request that are stored: its URL, and its headers except those that ``client(with:)`` adds.
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

    /// Returns a client with timeouts, which adds the headers that are not stored.
    private func client(with timeouts: Timeouts) -> HttpClient {
        let secrets = secretHeaders
        return client.derived { config in
            config.timeouts = timeouts
            config.onRequest { request in
                for field in secrets where !request.fields.contains(field.name) { request.fields.append(field) }
            }
        }
    }

    private func folder() throws(NetworkServiceError) -> URL {
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
