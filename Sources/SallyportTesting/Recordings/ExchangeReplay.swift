import Foundation
import HTTPTypes
import Sallyport
import SallyportStorage
import SallyportTransport

/// Finds the recorded calls that match requests, and replays their responses.
final class ExchangeReplay: Sendable {
    private struct Entry: Sendable {
        let number: Int
        let request: RecordedRequest
        let compared: ComparedRequest
        let result: RecordedResult
    }

    private struct State: Sendable {
        /// The number of times that each entry has been replayed.
        var uses: [Int]
        var unmatched: [RecordingMismatch] = []
    }

    private let file: String
    private let options: RecordingOptions
    private let entries: [Entry]
    private let state: Locked<State>

    init(_ calls: [RecordedExchange], file: String, _ options: RecordingOptions) {
        self.file = file
        self.options = options
        entries = calls.map { call in
            let request = Self.masked(call.request, options)
            return Entry(
                number: call.number,
                request: request,
                compared: ComparedRequest(request, options),
                result: call.result
            )
        }
        state = Locked(State(uses: Array(repeating: 0, count: calls.count)))
    }

    private static func masked(_ request: RecordedRequest, _ options: RecordingOptions) -> RecordedRequest {
        var request = request
        var mask = SecretMask(options)
        mask.mask(&request)
        mask.removeConfigured(from: &request)
        return request
    }

    /// The requests without a recorded call, and then the recorded calls that were not used.
    var mismatches: [RecordingMismatch] {
        let (uses, unmatched) = state.withLock { ($0.uses, $0.unmatched) }
        if options.allowsUnused { return unmatched }
        return unmatched
            + entries.indices.filter { uses[$0] == 0 }.map { index in
                .unused(call: entries[index].request.summary, file: file, number: entries[index].number)
            }
    }

    func response(
        to request: TransportRequest,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        let copy = BodyCopy(limit: options.maximumBodySize)
        try await copy.collect(request.body)
        do {
            _ = try await request.trailers?()
        } catch {
            throw NetworkError(wrapping: error, reason: "the trailer fields could not be created")
        }
        if Task.isCancelled { throw .cancelled("the task was cancelled") }
        let received = Self.masked(RecordedRequest(head: request.head, body: copy.data), options)
        let entry = try nextEntry(for: received)
        switch entry.result {
        case .failure(let reason):
            throw .networkError(NetworkFailure("call \(entry.number) of \(file) cannot be replayed: \(reason)"))
        case .response(let response):
            let isHead = request.head.method == .head
            let source = ReplayedSource(response, isEmpty: isHead, file: file)
            guard scope.onExit({ source.cancel() }) else { throw .cancelled("the scope of the exchange has ended") }
            var head = response.head
            if !isHead, !response.isPartial, head.headerFields.contains(.contentLength) {
                head.headerFields[.contentLength] = String(response.body.count)
            }
            return TransportResponse(
                head: head,
                body: ResponseBody(
                    length: isHead ? 0 : response.isDecoded || response.isPartial ? nil : Int64(response.body.count),
                    isDecoded: response.isDecoded,
                    source: source
                ),
                connection: ConnectionFacts(httpVersion: response.version)
            )
        }
    }

    /// Returns the next recorded call that matches a request.
    private func nextEntry(for request: RecordedRequest) throws(NetworkError) -> Entry {
        let compared = ComparedRequest(request, options)
        let matching = entries.indices.filter { index in
            entries[index].compared.differences(to: compared, in: options.matching).isEmpty
        }
        let index: Int? = state.withLock { state in
            let unused = matching.first { state.uses[$0] == 0 }
            guard let index = unused ?? (options.allowsRepeats ? matching.last : nil) else { return nil }
            state.uses[index] += 1
            return index
        }
        if let index { return entries[index] }
        let closest = closest(to: compared, amongMatching: matching)
        state.withLock { $0.unmatched.append(.unmatched(call: request.summary, file: file, closest: closest)) }
        throw .invalidRequest(
            NetworkFailure(
                closest.map { closest in
                    "no call of the recording \(file) matches; the closest is call \(closest.number), \(closest.call): "
                        + closest.differences.joined(separator: "; ")
                } ?? "no call of the recording \(file) matches, because it contains no call",
                advice:
                    "record the calls anew with SALLYPORT_RECORDING=all, or change matching of the recording's options"
            )
        )
    }

    /// Returns the recorded call with the fewest differences to a request that is not replayed.
    private func closest(to request: ComparedRequest, amongMatching matching: [Int]) -> ClosestRecording? {
        if let last = matching.last {
            let times = matching.count == 1 ? "once" : "\(matching.count) times"
            return ClosestRecording(
                number: entries[last].number,
                call: entries[last].request.summary,
                differences: [
                    "the request is recorded \(times), and has been replayed as often; allowsRepeats replays it again"
                ]
            )
        }
        let candidates = entries.indices.map { index in
            (index: index, differences: entries[index].compared.differences(to: request, in: options.matching))
        }
        let closest = candidates.min { one, other in
            one.differences.reduce(0) { $0 + $1.weight } < other.differences.reduce(0) { $0 + $1.weight }
        }
        return closest.map { closest in
            ClosestRecording(
                number: entries[closest.index].number,
                call: entries[closest.index].request.summary,
                differences: closest.differences.map(\.text)
            )
        }
    }
}

/// The body of a replayed response.
private final class ReplayedSource: ResponseBodySource {
    /// The maximum size of a chunk.
    private static let chunkSize = 64 << 10

    private struct State: Sendable {
        var unread: Data
        var isCancelled = false
    }

    private let state: Locked<State>
    private let isPartial: Bool
    private let file: String

    init(_ response: RecordedResponse, isEmpty: Bool, file: String) {
        state = Locked(State(unread: isEmpty ? Data() : response.body))
        isPartial = response.isPartial && !isEmpty
        self.file = file
    }

    func read() async throws(NetworkError) -> Data? {
        let chunk = try state.withLock { state throws(NetworkError) in
            if state.isCancelled { throw .cancelled(NetworkFailure("the body was cancelled", phase: .body)) }
            let chunk = Data(state.unread.prefix(Self.chunkSize))
            state.unread = state.unread.dropFirst(chunk.count)
            return chunk
        }
        if !chunk.isEmpty { return chunk }
        guard isPartial else { return nil }
        throw .incompleteBody(
            NetworkFailure(
                "the recording \(file) contains only the beginning of the body",
                phase: .body,
                advice: "record the calls anew with SALLYPORT_RECORDING=all"
            )
        )
    }

    var isReceived: Bool { true }

    var trailers: HTTPFields { [:] }

    func cancel() { state.withLock { $0.isCancelled = true } }
}
