import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// Records one call for a ``TrafficRecorder``.
final class CallRecording: Sendable {
    private let id: Int
    private let recorder: TrafficRecorder
    private let start: ContinuousClock.Instant
    /// The masker with the secrets that the requests of the call have sent. They are masked in the responses too.
    private let masker: Locked<SecretMasker>

    init(_ id: Int, of recorder: TrafficRecorder, start: ContinuousClock.Instant, _ masker: SecretMasker) {
        self.id = id
        self.recorder = recorder
        self.start = start
        self.masker = Locked(masker)
    }

    /// Begins to record a call that validates the cache after this one has ended.
    func validation(of request: HttpRequest) -> CallRecording {
        recorder.begin(request, purpose: "validation in the background")
    }

    private func elapsed(until instant: ContinuousClock.Instant = .now) -> Double {
        start.duration(to: instant).milliseconds
    }

    /// Records that a request is passed to the transport.
    func send(_ request: HttpRequest, attempt: Int, _ trace: InterceptorTrace) {
        let archived = masker.withLock { masker in
            HttpArchive.Request(masking: request, bodyLimit: recorder.limits.bodyBytes, &masker)
        }
        let entry = HttpArchive.Entry(
            startedDateTime: Date(),
            time: 0,
            request: archived,
            response: HttpArchive.Response(status: 0, httpVersion: "")
        )
        let time = elapsed()
        change(attempt, trace) { recorded in
            recorded.start = time
            recorded.entry = entry
        }
    }

    /// Records the response to an attempt.
    ///
    /// - Parameter scope: The scope for reading the body if it is streamed.
    /// - Returns: The response. Its body is recorded when it is read.
    func answer(
        _ response: HttpResponse,
        to attempt: Int,
        _ trace: InterceptorTrace,
        in scope: ExchangeScope?
    ) -> HttpResponse {
        let limit = recorder.limits.bodyBytes
        let (facts, now) = (response.connection, ContinuousClock.now)
        let archived = masker.withLock { HttpArchive.Response(masking: response, bodyLimit: limit, &$0) }
        change(attempt, trace) { recorded in
            recorded.isReused = facts.isReused
            recorded.tlsVersion = facts.tlsVersion
            recorded.add(facts.details)
            recorded.entry?.response = archived
            recorded.entry?.serverIPAddress = facts.remoteAddress.flatMap { HostAndPort($0[...]) }?.host
            recorded.entry?.connection = facts.details?.localAddress.flatMap { HostAndPort($0[...]) }?.port.map {
                "\($0)"
            }
            recorded.entry?.request.httpVersion = archived.httpVersion
            recorded.end(at: now, callStart: start, facts)
            recorded.isComplete = response.body != nil
        }
        guard response.body == nil else { return response }
        let stream = response.bodyStream
        let (isDecoded, type) = (stream.isDecoded, response.headers.fields[.contentType])
        let body = RecordedBody(stream.source, limit: limit) { start, count, error in
            let now = ContinuousClock.now
            let content = self.masker.withLock { masker in
                HttpArchive.Content(masking: start, of: count, limit: limit, type: type, &masker)
            }
            let text = error.map { self.masked("\($0)") }
            self.endBody(of: attempt) { recorded in
                recorded.entry?.response.content = content
                if !isDecoded { recorded.entry?.response.bodySize = count }
                recorded.error = text
                recorded.end(at: now, callStart: self.start, facts)
            }
        }
        scope?.onExit { body.end(nil) }
        var recorded = response
        recorded.bodyStream = ResponseBody(
            length: stream.length,
            isDecoded: stream.isDecoded,
            encoded: stream.encoded,
            source: body
        )
        return recorded
    }

    /// Records that an attempt failed.
    func fail(_ error: NetworkError, attempt: Int, _ trace: InterceptorTrace) {
        let now = ContinuousClock.now
        let received = error.failure.receivedHead
        let response = received.map { received in
            let headers = HttpHeaders(received.head.headerFields)
            let response = HttpResponse(status: received.head.status, headers: headers, request: HttpRequest())
            return masker.withLock { HttpArchive.Response(masking: response, bodyLimit: 0, &$0) }
        }
        let text = masked("\(error)")
        change(attempt, trace) { recorded in
            if let response { recorded.entry?.response = response }
            recorded.error = text
            recorded.end(at: now, callStart: start, received?.connection)
            recorded.isComplete = true
        }
    }

    /// Records the response that the app receives.
    func finish(_ response: HttpResponse, _ trace: InterceptorTrace) {
        let time = elapsed()
        // A stage, such as the cache, has returned a response without sending the request.
        let isUnsent = trace.attempts.last.map { $0.sent == nil && $0.answeredBy != nil } ?? false
        let answer = isUnsent ? unsentEntry(response) : nil
        recorder.change(id) { call in
            call.merge(trace)
            call.status = response.status.code
            if let answer, let last = call.attempts.indices.last {
                call.attempts[last].entry = answer
                call.attempts[last].start = time
                call.attempts[last].isComplete = true
            }
            if !call.isReceiving { call.duration = time }
        }
    }

    /// Records the error that the app receives.
    func finish(_ error: NetworkError, _ trace: InterceptorTrace) {
        let time = elapsed()
        let text = masked("\(error)")
        recorder.change(id) { call in
            call.merge(trace)
            call.error = text
            call.duration = time
        }
    }

    /// Returns a text with the secrets masked that the call has sent.
    private func masked(_ text: String) -> String { masker.withLock { $0.masked(text) } }

    /// Returns a record of a response that a stage returned without sending the request.
    private func unsentEntry(_ response: HttpResponse) -> HttpArchive.Entry {
        let limit = recorder.limits.bodyBytes
        return masker.withLock { masker in
            HttpArchive.Entry(
                startedDateTime: Date(),
                time: 0,
                request: HttpArchive.Request(masking: response.request, bodyLimit: limit, &masker),
                response: HttpArchive.Response(masking: response, bodyLimit: limit, &masker)
            )
        }
    }

    private func change(_ attempt: Int, _ trace: InterceptorTrace, _ change: (inout TrafficAttempt) -> Void) {
        recorder.change(id) { call in
            call.merge(trace)
            if call.attempts.indices.contains(attempt) { change(&call.attempts[attempt]) }
        }
    }

    private func endBody(of attempt: Int, _ change: (inout TrafficAttempt) -> Void) {
        let time = elapsed()
        recorder.change(id) { call in
            guard call.attempts.indices.contains(attempt) else { return }
            change(&call.attempts[attempt])
            call.attempts[attempt].isComplete = true
            if call.status != nil, !call.isReceiving { call.duration = time }
        }
    }
}

extension TrafficAttempt {
    fileprivate mutating func add(_ details: ConnectionDetails?) {
        cipherSuite = details?.cipherSuite
        keyExchange = details?.keyExchange
        proxy = details?.proxy
    }

    /// Sets the durations of the phases up to an instant.
    ///
    /// - Parameter facts: The times of the connection; `nil` if they are unknown, because there was no response.
    fileprivate mutating func end(
        at instant: ContinuousClock.Instant,
        callStart: ContinuousClock.Instant,
        _ facts: ConnectionFacts?
    ) {
        guard let start, entry != nil else { return }
        let total = max(0, callStart.duration(to: instant).milliseconds - start)
        let sent = callStart + .seconds(start / 1_000)
        entry?.time = total
        entry?.timings = HttpArchive.Timings(facts ?? ConnectionFacts(), sent: sent, total: total)
    }
}

extension Duration {
    fileprivate var milliseconds: Double { self / .milliseconds(1) }
}

extension HttpArchive.Timings {
    /// Creates the durations of an exchange from the times of its connection.
    ///
    /// - Parameters:
    ///   - sent: The instant at which the request was passed to the transport.
    ///   - total: The duration of the exchange until now, in milliseconds.
    init(_ facts: ConnectionFacts, sent: ContinuousClock.Instant, total: Double) {
        self.init(send: 0)
        let firstByte = min(facts.firstByte?.milliseconds ?? total, total)
        // A connection may have been opened for another request, before this one was sent.
        func time(_ instant: Double) -> Double { min(max(0, instant), firstByte) }
        var opened = 0.0
        if let opening = facts.openingStart {
            opened = sent.duration(to: opening).milliseconds
            blocked = time(opened)
            func phase(_ duration: Duration?) -> Double? {
                guard let duration else { return nil }
                let begin = time(opened)
                opened += duration.milliseconds
                return time(opened) - begin
            }
            dns = phase(facts.resolve)
            let transport = phase(facts.connect)
            ssl = phase(facts.tls)
            if transport != nil || ssl != nil { connect = (transport ?? 0) + (ssl ?? 0) }
        }
        // It is known only if the transport records details of connections.
        let end = max(facts.requestSent.map { time($0.milliseconds) } ?? 0, time(opened))
        send = end - time(opened)
        wait = firstByte - end
        receive = total - firstByte
    }
}

/// The body of a response that records what is read, up to a limit.
private final class RecordedBody: ResponseBodySource {
    typealias End = @Sendable (_ start: Data, _ count: Int, _ error: NetworkError?) -> Void

    private struct State: Sendable {
        /// The beginning of the body, which may exceed the limit by a byte.
        var start = Data()
        var count = 0
        /// The closure to call at the end; `nil` after the end.
        var end: End?
    }

    private let source: any ResponseBodySource
    private let limit: Int
    private let state: Locked<State>

    init(_ source: any ResponseBodySource, limit: Int, end: @escaping End) {
        self.source = source
        self.limit = limit
        state = Locked(State(end: end))
    }

    func read() async throws(NetworkError) -> Data? {
        do throws(NetworkError) {
            let chunk = try await source.read()
            if let chunk { add(chunk) } else { end(nil) }
            return chunk
        } catch {
            end(error)
            throw error
        }
    }

    func readRest(upTo limit: Int) throws(NetworkError) -> Data? {
        do throws(NetworkError) {
            guard let rest = try source.readRest(upTo: limit) else { return nil }
            add(rest)
            end(nil)
            return rest
        } catch {
            end(error)
            throw error
        }
    }

    var isReceived: Bool { source.isReceived }

    var trailers: HTTPFields { source.trailers }

    func cancel() {
        source.cancel()
        end(nil)
    }

    private func add(_ chunk: Data) {
        state.withLock { state in
            if state.start.count <= limit { state.start.append(chunk.prefix(limit + 1 - state.start.count)) }
            state.count += chunk.count
        }
    }

    /// Records the end of the body. Later calls have no effect.
    func end(_ error: NetworkError?) {
        let last = state.withLock { state in
            defer { state.end = nil }
            return state
        }
        last.end?(last.start, last.count, error)
    }
}
