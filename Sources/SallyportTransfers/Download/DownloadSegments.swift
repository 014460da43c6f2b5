import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// Fetches ranges of a large file in parallel.
///
/// The leading request of the download, which ``DownloadRun`` sends, reads forward from the first missing byte. It
/// needs no range if no part of the file has been stored. The requests of this type fetch segments from the end of the
/// file, so that both meet as late as possible. If one of them fails, its segment becomes available again, and the
/// bytes that it fetched are kept: only the leading request can fail the download.
final class DownloadSegments: Sendable {
    /// The minimum size of a file that is fetched by more than one request.
    private static let minimumFileSize: Int64 = 8 << 20

    private static let maximumConnections = 16

    private let request: HttpRequest
    private let client: HttpClient
    private let connections: Int
    private let receiver: DownloadReceiver
    private let serverRefusesRanges = Locked(false)

    init(of request: HttpRequest, by client: HttpClient, connections: Int, _ receiver: DownloadReceiver) {
        self.request = request
        self.client = client
        self.connections = connections
        self.receiver = receiver
    }

    /// Returns the number of requests to send in parallel with the leading one.
    ///
    /// - Parameter response: The response to the leading request.
    func count(besides response: HttpResponse, of partial: PartialFile) -> Int {
        guard connections > 1, !serverRefusesRanges.withLock({ $0 }),
            let total = partial.total, total >= Self.minimumFileSize,
            partial.header?.validators.ifRange != nil, response.allowsRanges
        else { return 0 }
        return min(connections, Self.maximumConnections) - 1
    }

    /// Fetches one segment after another until none are left, or the server refuses.
    ///
    /// - Parameter wait: A closure that waits after a failed attempt, and returns `false` if no further attempt may be
    ///   made. The number of the first attempt is 1; `isResumption` is `true` if the attempt made progress.
    func fetch(
        _ partial: PartialFile,
        wait: (_ error: NetworkError, _ attempt: Int, _ isResumption: Bool) async -> Bool
    ) async {
        var attempt = 0
        while !Task.isCancelled, !serverRefusesRanges.withLock({ $0 }),
            let (blocks, start, end) = partial.reserve(connections: connections)
        {
            var writer = PartialWriter(partial, at: start, reserved: blocks)
            do {
                try await fetch(start..<end, of: partial, into: &writer)
                attempt = 0
            } catch {
                try? writer.end(isEndOfFile: false)
                let hasProgressed = writer.position > start
                attempt = hasProgressed ? 1 : attempt + 1
                let error = NetworkError(wrapping: error, reason: "the range could not be fetched")
                guard await wait(error, attempt, hasProgressed) else { return }
            }
        }
    }

    private func fetch(_ bytes: Range<Int64>, of partial: PartialFile, into writer: inout PartialWriter) async throws {
        guard let header = partial.header else { return }
        let range = RangeRequest(
            start: bytes.lowerBound,
            end: bytes.upperBound,
            total: partial.total,
            validators: header.validators
        )
        var target = writer
        defer { writer = target }
        try await client.stream(request: request.requesting(range)) { response in
            guard case .append(let end, _) = DownloadPlan(DownloadHead(response), for: range) else {
                // The leading request continues alone; if the server refuses that one too, the download fails.
                serverRefusesRanges.withLock { $0 = true }
                return try target.end(isEndOfFile: false)
            }
            target.resume()
            try await receiver.receive(response, into: &target, until: end)
        }
    }
}

extension HttpResponse {
    /// A Boolean value that indicates whether the server states that it supports ranges, or has sent one.
    fileprivate var allowsRanges: Bool {
        if status == .partialContent { return true }
        let units = headers["Accept-Ranges"]?.joined(separator: ",").lowercased().split(separator: ",") ?? []
        return units.contains { $0.trimmingCharacters(in: .whitespaces) == "bytes" }
    }
}
