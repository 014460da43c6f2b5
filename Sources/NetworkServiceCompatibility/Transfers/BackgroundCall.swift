import Foundation
import Sallyport
import SallyportService
import SallyportTransfers

/// A call of an ``UploadService`` or ``DownloadService`` in a background session.
struct BackgroundCall<Target: Endpoint>: Sendable {
    private let service: ServiceClient
    private let endpoint: Target
    private let request: HttpRequest
    private let identifier: String
    private let folder: URL
    private let sessions: BackgroundSessions

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the session; `nil` for a random one.
    ///   - configuration: The configuration of the service.
    init(
        _ endpoint: Target,
        identifier: String?,
        _ configuration: NetworkServiceConfiguration
    ) throws(NetworkServiceError) {
        service = try configuration.makeService()
        self.endpoint = endpoint
        request = try service.request(for: endpoint)
        let random = "\(configuration.clientBundle).\(UUID().uuidString.lowercased())"
        self.identifier = (identifier ?? random).sessionIdentifier
        let (sessions, folders) = SharedState.shared.withLock { ($0.backgroundSessions, $0.folders) }
        self.sessions = sessions
        folder = if let folders { folders.transfers } else { try configuration.transferFolder() }
    }

    /// Downloads a file.
    func download(
        to destination: DownloadDestination,
        onProgress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(NetworkServiceError) -> URL {
        var download = QueuedDownload(try url(), to: destination)
        download.existingFile = .replace
        let report = try await perform { transfer throws(TransferError) in
            try await transfer.perform(.download(download), reporting: onProgress)
        }
        guard case .file(let url, _) = report.result else { throw failure(of: report) }
        return url
    }

    /// Uploads the body of the request.
    ///
    /// - Parameter fingerprint: A digest of the content; `nil` if it cannot be compared.
    func upload(
        fingerprint: String?,
        onProgress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(NetworkServiceError) -> Target.Response {
        let url = try url()
        let report = try await perform { transfer throws(TransferError) in
            var upload = QueuedUpload(.file(transfer.body), to: url)
            upload.method = request.getMethod().rawValue
            for name in [NetworkConstants.headerAccept, NetworkConstants.headerContentType] {
                upload.headers[name] = request.getHeader(name: name)
            }
            let content = BackgroundTransfer.Content(body: request.body, fingerprint: fingerprint)
            return try await transfer.perform(.upload(upload), storing: content, reporting: onProgress)
        }
        guard report.state == .finished, case .response(let status, let body) = report.result else {
            throw failure(of: report)
        }
        return try service.read(
            HttpResponse(status: HttpStatus(code: status), body: body, request: request),
            as: endpoint
        )
    }

    private func perform(
        _ work: (BackgroundTransfer) async throws(TransferError) -> TransferReport
    ) async throws(NetworkServiceError) -> TransferReport {
        do throws(TransferError) {
            let client = BackgroundTransfer.client(of: service)
            return try await work(BackgroundTransfer(identifier, in: folder, sessions: sessions, client: client))
        } catch {
            throw .wrapping(error)
        }
    }

    /// The URL of the request with its query.
    private func url() throws(NetworkServiceError) -> String {
        do throws(NetworkError) {
            let head = try request.head()
            return "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")"
        } catch {
            throw .wrapping(TransferError(.network(error)))
        }
    }

    /// Returns the error of a transfer that has failed or was cancelled.
    private func failure(of report: TransferReport) -> NetworkServiceError {
        if report.state == .cancelled {
            return .wrapping(TransferError(.network(.cancelled("the transfer was cancelled"))))
        }
        let failed = NetworkServiceErrorInfo(report.error ?? "the transfer failed")
        guard case .response(let status, let body) = report.result else { return .transferFailed(failed) }
        let response = HttpResponse(status: HttpStatus(code: status), body: body, request: request)
        do throws(NetworkServiceError) {
            _ = try service.read(response, as: endpoint)
            return .transferFailed(failed)
        } catch {
            return error
        }
    }
}

extension BackgroundTransfer {
    /// Returns the client of a service's transfers. It adds the headers of the configuration, which are not stored because they may contain
    /// secrets.
    static func client(of service: ServiceClient) -> HttpClient {
        let configuration = service.configuration
        return service.client.derived { config in
            let limit = configuration.timeout.isFinite ? Duration.seconds(configuration.timeout) : nil
            config.timeouts = Timeouts(head: limit, total: nil)
            config.onRequest { request in
                for (name, value) in configuration.headers where request.getHeader(name: name) == nil {
                    request.setHeader(name: name, value: value)
                }
            }
        }
    }
}

extension NetworkServiceConfiguration {
    /// Returns the folder that contains the background transfers.
    fileprivate func transferFolder() throws(NetworkServiceError) -> URL {
        do {
            let folder = try FileManager.default.url(
                for: .applicationSupportDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
            return folder.appendingPathComponent(clientBundle, isDirectory: true)
                .appendingPathComponent("transfers", isDirectory: true)
        } catch {
            let reason = "the folder for application support cannot be used: \(error.localizedDescription)"
            throw .invalidConfiguration(NetworkServiceErrorInfo(reason))
        }
    }
}

extension NetworkServiceError {
    /// Returns the error of a failed transfer.
    fileprivate static func wrapping(_ error: TransferError) -> NetworkServiceError {
        var info = NetworkServiceErrorInfo(error.description)
        info.transferError = error
        guard case .network(let networkError) = error.reason else { return .transferFailed(info) }
        info.networkError = networkError
        return .callFailed(info)
    }
}

extension String {
    /// The text as the identifier of a background session and the name of its folder. Bytes other than letters, digits, dots, dashes
    /// and underscores are replaced by their hexadecimal digits between underscores.
    fileprivate var sessionIdentifier: String {
        utf8.reduce(into: "") { text, byte in
            let character = Character(Unicode.Scalar(byte))
            let isAllowed = character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
            text += isAllowed ? String(character) : "_\(String(byte, radix: 16))_"
        }
    }
}
