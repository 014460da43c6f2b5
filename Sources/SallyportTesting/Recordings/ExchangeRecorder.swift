import Foundation
import HTTPTypes
import Sallyport
import SallyportStorage
import SallyportTransport

/// Sends requests, and keeps copies of them and of their responses.
final class ExchangeRecorder: Sendable {
    private struct PendingExchange: Sendable {
        let request: RecordedRequest
        let start: Date
        let startInstant: ContinuousClock.Instant
        let sent: BodyCopy
        var response: (head: HTTPResponse, version: ConnectionFacts.Version?, received: RecordedSource)?
    }

    private let options: RecordingOptions
    /// The exchanges in the order they began. An exchange without a response has failed or is still waiting.
    private let exchanges = Locked<[PendingExchange]>([])

    init(_ options: RecordingOptions) {
        self.options = options
    }

    func send(
        _ request: TransportRequest,
        in scope: ExchangeScope,
        by upstream: any Transport
    ) async throws(NetworkError) -> TransportResponse {
        let copy = BodyCopy(limit: options.maximumBodySize)
        var outgoing = request
        outgoing.body = try await copy.copying(request.body)
        let recorded = RecordedRequest(head: request.head, body: nil)
        let index = exchanges.withLock { exchanges in
            let now = (date: Date(), instant: ContinuousClock.now)
            exchanges.append(
                PendingExchange(request: recorded, start: now.date, startInstant: now.instant, sent: copy)
            )
            return exchanges.count - 1
        }
        let response = try await upstream.send(outgoing, in: scope)
        try checkDecoded(response, to: request)
        let received = RecordedSource(response.body, limit: options.maximumBodySize)
        exchanges.withLock { exchanges in
            exchanges[index].response = (response.head, response.connection.httpVersion, received)
        }
        var copied = response
        copied.body = ResponseBody(
            length: response.body.length,
            isDecoded: response.body.isDecoded,
            source: received
        )
        return copied
    }

    /// Checks that a body can be searched for secrets.
    private func checkDecoded(_ response: TransportResponse, to request: TransportRequest) throws(NetworkError) {
        guard let coding = response.head.headerFields[.contentEncoding], coding.lowercased() != "identity",
            request.head.method != .head, response.body.length != 0, ![204, 304].contains(response.head.status.code)
        else { return }
        response.body.cancel()
        throw .undecodableBody(
            NetworkFailure(
                "the response has the content coding \(VisibleText.line(coding, longest: 50)), which the transport has not decoded, "
                    + "so it cannot be searched for secrets",
                phase: .head,
                advice: "record the call without Accept-Encoding, or with a transport that decodes the coding"
            )
        )
    }

    /// The calls with responses, with all secrets masked.
    var maskedCalls: [RecordedExchange] {
        var mask = SecretMask(options)
        var calls = exchanges.withLock { $0 }.compactMap { exchange -> RecordedExchange? in
            guard let (head, version, received) = exchange.response, let copy = received.copy else { return nil }
            var request = exchange.request
            let body = exchange.sent.data
            let isEncoded = !body.isEmpty && request.head.headerFields.contains(.contentEncoding)
            request.body = isEncoded ? nil : body
            request.omittedSize = isEncoded ? body.count : 0
            request.head.authority = request.head.authority?.split(separator: "@").last.map(String.init)
            mask.mask(&request)
            var response = RecordedResponse(head: head, body: copy.data, isPartial: !copy.isComplete, version: version)
            mask.mask(&response)
            var call = RecordedExchange(request: request, result: .response(response), start: exchange.start)
            call.duration = (copy.end ?? .now) - exchange.startInstant
            return call
        }
        // A call may contain a secret that was found only in a later call.
        for index in calls.indices { mask.removeCollected(from: &calls[index]) }
        return calls
    }
}

/// A copy of a request's body, which is made while the body is sent.
final class BodyCopy: Sendable {
    private let limit: Int
    private let content = Locked(Data())

    init(limit: Int) {
        self.limit = limit
    }

    var data: Data { content.withLock { $0 } }

    /// Returns a body with the same bytes, which are copied when it is sent. A file is read at once.
    func copying(_ body: RequestBody) async throws(NetworkError) -> RequestBody {
        guard case .stream(let stream) = body else {
            try await collect(body)
            if case .none = body { return body }
            return .data(data)
        }
        return .stream(
            BodyStream(length: stream.length, isReplayable: stream.isReplayable) { write in
                // The transport may send the body again.
                self.content.withLock { $0 = Data() }
                try await stream.forEachChunk { chunk in
                    try self.append(chunk)
                    try await write(chunk)
                }
            }
        )
    }

    /// Reads a body to its end.
    func collect(_ body: RequestBody) async throws(NetworkError) {
        do {
            try await body.forEachChunk { try self.append($0) }
        } catch {
            throw NetworkError(wrapping: error, reason: "the body could not be read")
        }
    }

    private func append(_ chunk: Data) throws(NetworkError) {
        try content.withLock { content throws(NetworkError) in
            guard chunk.count <= limit - content.count else {
                throw .invalidRequest(
                    NetworkFailure(
                        "the body is longer than the \(limit) bytes that a recording accepts",
                        advice: "raise maximumBodySize of the recording's options, or send less in this test"
                    )
                )
            }
            content.append(chunk)
        }
    }
}

/// Reads a response's body, and keeps a copy of what has been read.
final class RecordedSource: ResponseBodySource {
    struct Copy: Sendable {
        var data = Data()
        var isComplete: Bool
        /// The time at which the last byte was read.
        var end: ContinuousClock.Instant?
    }

    private let source: any ResponseBodySource
    private let length: Int64?
    private let limit: Int
    /// The copy; `nil` after the body has failed.
    private let state: Locked<Copy?>

    init(_ body: ResponseBody, limit: Int) {
        source = body.source
        length = body.length
        self.limit = limit
        state = Locked(Copy(isComplete: body.length == 0))
    }

    var isReceived: Bool { source.isReceived }

    var copy: Copy? { state.withLock { $0 } }

    func read() async throws(NetworkError) -> Data? {
        do throws(NetworkError) {
            guard let chunk = try await source.read() else {
                state.withLock { $0?.isComplete = true }
                return nil
            }
            try append(chunk)
            return chunk
        } catch {
            // A body that is cancelled ends here for its reader, too.
            if case .cancelled = error {} else { state.withLock { $0 = nil } }
            throw error
        }
    }

    private func append(_ chunk: Data) throws(NetworkError) {
        try state.withLock { copy throws(NetworkError) in
            let count = copy?.data.count ?? 0
            guard chunk.count <= limit - count else {
                source.cancel()
                throw .responseTooLarge(
                    NetworkFailure(
                        "the body is longer than the \(limit) bytes that a recording accepts",
                        phase: .body,
                        advice: "raise maximumBodySize of the recording's options"
                    )
                )
            }
            copy?.data.append(chunk)
            copy?.end = .now
            if let length, Int64(count + chunk.count) == length { copy?.isComplete = true }
        }
    }

    var trailers: HTTPFields { source.trailers }

    func cancel() { source.cancel() }
}
