import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// Writes response bodies into a partial file, for all requests of one download.
final class DownloadReceiver: Sendable {
    private let request: HttpRequest
    private let maximumSize: Int64?
    private let rateLimit: RateLimit?
    private let control: TransferControl
    private let received: Locked<Int64> = Locked(0)

    init(of request: HttpRequest, _ options: DownloadOptions, _ control: TransferControl) {
        self.request = request
        maximumSize = options.maximumSize
        rateLimit = options.rateLimit
        self.control = control
    }

    /// The number of bytes received so far. Bytes that were fetched twice count twice.
    var receivedBytes: Int64 { received.withLock { $0 } }

    /// Writes a response's body.
    ///
    /// - Parameters:
    ///   - writer: The writer, which this call ends.
    ///   - end: The position in the file at which the body ends; `nil` if it is unknown.
    func receive(_ response: HttpResponse, into writer: inout PartialWriter, until end: Int64?) async throws {
        let body = response.bodyStream
        do {
            for try await chunk in rateLimit?.limited(body) ?? body {
                if let end, Int64(chunk.count) > end - writer.position {
                    throw TransferError(.mismatch("\(request): the server sent more bytes than it had announced"))
                }
                try checkSize(writer.position + Int64(chunk.count))
                received.withLock { $0 += Int64(chunk.count) }
                let before = writer.position
                let isWanted = try writer.write(chunk)
                control.advance(by: Int(writer.position - before))
                guard isWanted else {
                    body.cancel()
                    return try writer.end(isEndOfFile: false)
                }
            }
            if let end, writer.position < end {
                throw NetworkError.incompleteBody(
                    NetworkFailure("the body ended \(end - writer.position) bytes early", phase: .body)
                )
            }
        } catch {
            try writer.end(isEndOfFile: false)
            throw error
        }
        try writer.end(isEndOfFile: end == nil)
    }

    /// - Throws: ``TransferError`` if the file is larger than the caller accepts.
    func checkSize(_ size: Int64) throws(TransferError) {
        guard let maximumSize, size > maximumSize else { return }
        throw TransferError(
            .network(
                .responseTooLarge(
                    NetworkFailure(
                        "the file is longer than the \(Quantity.size(maximumSize)) that are accepted",
                        request: request.description,
                        phase: .body,
                        advice: SettingAdvice.raiseMaximumSize.rawValue
                    )
                )
            )
        )
    }
}
