import Foundation
import Sallyport
import SallyportTransfers
import SallyportTransport

/// A call of an upload or download service with the session type ``NetworkServiceSessionType/background``.
struct BackgroundCall: Sendable {
    /// The request of the transfer.
    let request: HttpRequest
    /// The identifier of the transfer.
    let identifier: String
    /// A digest of the content of an upload; `nil` if the call continues an upload with any content.
    var fingerprint: String?
    /// A closure that is called with the progress.
    let onProgress: (@Sendable (Progress) -> Void)?
    /// A closure that returns `true` if a transfer that has not succeeded must not be continued later: it was cancelled, or cannot be
    /// found again, because its identifier is random.
    let isAbandoned: @Sendable () -> Bool
}

/// The background transfers of a service.
struct BackgroundTransfers: Sendable {
    private let sessions: BackgroundSessions
    private let client: HttpClient
    private let configuration: NetworkServiceConfiguration
    private let reader: EndpointResponseReader
    private let secretHeaders: HTTPFields

    /// - Parameter secretHeaders: The headers of all requests of the service that contain secrets, which must not be stored.
    init(
        sessions: BackgroundSessions,
        client: HttpClient,
        configuration: NetworkServiceConfiguration,
        reader: EndpointResponseReader,
        secretHeaders: HTTPFields
    ) {
        self.sessions = sessions
        self.client = client
        self.configuration = configuration
        self.reader = reader
        self.secretHeaders = secretHeaders
    }

    /// Downloads a file.
    func download(
        _ call: BackgroundCall,
        to destination: DownloadDestination,
        options: DownloadOptions
    ) async throws(NetworkServiceError) -> DownloadedFile {
        let stored = try stored(call.request)
        var download = QueuedDownload(stored.url, to: destination)
        download.headers = stored.headers
        download.existingFile = options.existingFile
        download.digest = options.digest
        download.maximumSize = options.maximumSize
        download.connections = options.connections
        let transfer = QueuedTransfer(.download(download), identifier: call.identifier)
        let report = try await perform(call, options.retry) { background async throws(TransferError) in
            try await background.perform(transfer, reporting: call.onProgress)
        }
        guard case .file(let url, let length) = report.result else { throw failure(of: report, call.request) }
        return DownloadedFile(
            url: url,
            length: length,
            fetchedBytes: length,
            digest: options.digest,
            response: HttpResponse(status: .ok, body: nil, request: call.request)
        )
    }

    /// Uploads the body of a request, which is stored in a file until the upload has succeeded.
    func upload(_ call: BackgroundCall, options: UploadOptions) async throws(NetworkServiceError) -> HttpResponse {
        let request = call.request
        let stored = try stored(request)
        let report = try await perform(call, options.retry) { background async throws(TransferError) in
            var upload = QueuedUpload(.file(background.body), to: stored.url)
            upload.method = request.getMethod().rawValue
            upload.headers = stored.headers
            upload.isResumable = options.isResumable
            let transfer = QueuedTransfer(.upload(upload), identifier: call.identifier)
            let content = BackgroundTransfer.Content(body: request.body, fingerprint: call.fingerprint)
            return try await background.perform(transfer, storing: content, reporting: call.onProgress)
        }
        guard report.state == .finished, case .response(let status, let body) = report.result else {
            throw failure(of: report, request)
        }
        return HttpResponse(status: HttpStatus(code: status), body: body, request: request)
    }

    /// Returns the identifiers of the transfers that have not ended, have failed, or whose results have not been delivered.
    func identifiers() async throws(NetworkServiceError) -> [String] {
        await BackgroundTransfer.identifiers(in: try folder())
    }

    /// Cancels a transfer and removes it.
    func remove(_ identifier: String) async throws(NetworkServiceError) {
        let transfer = try transfer(identifier, client.configuration.timeouts, .never)
        defer { transfer.unlock() }
        await transfer.remove()
    }

    /// Handles the events of the session of a transfer.
    func handleEvents(of identifier: String, completionHandler: @escaping @MainActor () -> Void) {
        let client = transferClient(client.configuration.timeouts)
        sessions.handleEvents(of: identifier, client: client, completionHandler: completionHandler)
    }

    // MARK: Transfers

    /// Opens a transfer and performs it. If it was abandoned, removes it.
    private func perform(
        _ call: BackgroundCall,
        _ retry: RetryPolicy,
        _ work: (BackgroundTransfer) async throws(TransferError) -> TransferReport
    ) async throws(NetworkServiceError) -> TransferReport {
        let transfer = try transfer(call.identifier, call.request.timeouts ?? client.configuration.timeouts, retry)
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
                client: transferClient(timeouts),
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

    /// Returns the parts of a request that are stored: its URL, and its headers except those that ``transferClient(_:)``
    /// adds. The queue refuses other headers with secrets.
    private func stored(
        _ request: HttpRequest
    ) throws(NetworkServiceError) -> (url: String, headers: [String: String]) {
        var stored = request
        for name in Set(secretHeaders.map(\.name)) where request.fields[values: name] == secretHeaders[values: name] {
            stored.removeHeader(name: name.rawName)
        }
        do throws(NetworkError) {
            let target = try RequestTarget(url: request.url, parameters: request.parameters)
            return (target.url, stored.getHeaders())
        } catch {
            throw .wrapping(error)
        }
    }

    /// Returns the client of a transfer, which adds the headers that are not stored.
    private func transferClient(_ timeouts: Timeouts) -> HttpClient {
        let secrets = secretHeaders
        return client.derived { config in
            config.timeouts = timeouts
            config.onRequest { request in
                for field in secrets where !request.fields.contains(field.name) { request.fields.append(field) }
            }
        }
    }

    /// Returns the folder of the transfers.
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
