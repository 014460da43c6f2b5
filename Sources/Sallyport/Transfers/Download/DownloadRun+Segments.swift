import Foundation
import SallyportTransport

/// Several ranges of a file at a time.
///
/// One stream leads: it goes forward from the first byte that is missing, and needs no range if that is the file's
/// first. The helpers take stretches from the end, so that they meet it late. A helper that fails gives its stretch
/// back, and what it brought is kept; only the leading stream can fail the download.
extension DownloadRun {
    /// A file that is smaller than that is fetched in one stream.
    static let smallestSegmented: Int64 = 8 << 20

    /// How many streams beside the leading one are to be opened.
    func helpers(_ response: HttpResponse, _ partial: PartialFile) -> Int {
        guard options.connections > 1, !state.withLock({ $0.isOneByOne }),
            let total = partial.total, total >= Self.smallestSegmented,
            partial.header?.validators.ifRange != nil, response.allowsRanges
        else { return 0 }
        return min(options.connections, 16) - 1
    }

    /// Fetches stretches until there are none left, or the server refuses.
    func help(_ partial: PartialFile) async {
        var attempt = 0
        while !Task.isCancelled, !state.withLock({ $0.isOneByOne }),
            let (blocks, start, end) = partial.reserve(connections: options.connections)
        {
            var writer = PartialWriter(partial, at: start, reserved: blocks)
            do {
                try await fetch(start..<end, of: partial, into: &writer)
                attempt = 0
            } catch {
                try? writer.end(isEnd: false)
                let hasProgressed = writer.position > start
                attempt = hasProgressed ? 1 : attempt + 1
                let error = NetworkError(wrapping: error, reason: "the range could not be fetched")
                do {
                    try await wait(after: .failure(error), attempt, isResumption: hasProgressed)
                } catch {
                    return
                }
            }
        }
    }

    private func fetch(_ range: Range<Int64>, of partial: PartialFile, into writer: inout PartialWriter) async throws {
        guard let header = partial.header else { return }
        let question = DownloadPlan.Question(
            start: range.lowerBound,
            end: range.upperBound,
            total: partial.total,
            validators: header.validators
        )
        var target = writer
        defer { writer = target }
        try await client.stream(request: request.asking(question)) { response in
            guard case .goOn(let end, _) = DownloadPlan(DownloadHead(response), to: question) else {
                // The leading stream goes on alone, and finds out whether there is more to it.
                state.withLock { $0.isOneByOne = true }
                return try target.end(isEnd: false)
            }
            target.resume()
            try await read(response, into: &target, until: end)
        }
    }
}

extension HttpRequest {
    /// The request for what a question asks for.
    func asking(_ question: DownloadPlan.Question) -> HttpRequest {
        guard let start = question.start else { return self }
        var request = self
        let last = question.end.map { String($0 - 1) } ?? ""
        request.setHeader(name: "Range", value: "bytes=\(start)-\(last)")
        if let ifRange = question.validators.ifRange { request.setHeader(name: "If-Range", value: ifRange) }
        return request
    }
}

extension HttpResponse {
    /// Whether the server says that it can send parts, or has just done so.
    fileprivate var allowsRanges: Bool {
        if status == .partialContent { return true }
        let units = headers["Accept-Ranges"]?.joined(separator: ",").lowercased().split(separator: ",") ?? []
        return units.contains { $0.trimmingCharacters(in: .whitespaces) == "bytes" }
    }
}
