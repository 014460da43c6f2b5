import Foundation
import SallyportTransport

/// Reads a stream of events over successive connections.
///
/// It has no task of its own: it works only while the caller waits for an event. The connection is closed when the reader is
/// released.
final class EventReader {
    private let client: HttpClient
    private let request: HttpRequest
    private let options: EventStreamOptions
    private let time: TimeSource
    /// A Boolean value that indicates whether the request may be sent again.
    private let isRepeatable: Bool
    /// The timeout of the request, which limits the complete stream.
    private let total: Duration?
    /// The time at which the stream must have ended.
    private var deadline: Duration?
    private var reconnection: EventReconnection
    private var parser: EventStreamParser
    private var connection: EventConnection?
    /// The id for the next connection, and its origin.
    private var lastEvent: LastEvent
    private var isOver = false

    init(_ client: HttpClient, _ request: HttpRequest, _ options: EventStreamOptions) {
        self.client = client
        self.options = options
        time = client.configuration.retryTime
        reconnection = EventReconnection(options, policy: request.retry ?? client.configuration.retry)
        total = request.totalTime
        isRepeatable = options.reconnects && reconnection.canRepeat(request)
        self.request = client.prepared(request, options, policy: isRepeatable ? reconnection.singleAttemptPolicy : nil)
        parser = EventStreamParser(
            lastEventId: options.lastEventId ?? request.getHeader(name: HttpRequest.headerLastEventId) ?? "",
            options
        )
        lastEvent = LastEvent(id: parser.sendableId, origin: request.knownOrigin)
    }

    /// Returns the next event; `nil` after the end of the stream.
    ///
    /// - Throws: ``EventStreamError`` if the stream ended with an error.
    func next() async throws(EventStreamError) -> ServerSentEvent? {
        if isOver { return nil }
        if deadline == nil { deadline = total.map { time.now() + $0 } }
        do throws(EventStreamError) {
            while let connection = try await connect() {
                if let event = try parseEvent() {
                    connection.hadEvents = true
                    reconnection.succeed()
                    return event
                }
                try await read(connection)
            }
        } catch {
            await end()
            throw error
        }
        await end()
        return nil
    }

    private func end() async {
        isOver = true
        await connection?.close()
        connection = nil
    }

    private func failure(_ reason: EventStreamError.Reason) -> EventStreamError {
        let id = parser.sendableId
        return EventStreamError(reason, request: request.description, lastEventId: id.isEmpty ? nil : id)
    }
}

// MARK: Connections

extension EventReader {
    /// Returns the current connection or a new one; `nil` if the stream has ended.
    private func connect() async throws(EventStreamError) -> EventConnection? {
        while connection == nil, !isOver {
            let scope = ExchangeScope()
            let outcome = await send(in: scope)
            if case .success(let response) = outcome, response.status.code == 200 {
                guard response.isEventStream else { throw failure(.contentType(await response.summarized(in: scope))) }
                if let problem = response.codingProblem {
                    await scope.end()
                    throw failure(.network(problem))
                }
                open(response, in: scope)
            } else if case .success(let response) = outcome, response.status.code == 204 {
                await scope.end()
                return nil
            } else {
                try await recover(from: outcome, in: scope)
            }
        }
        return connection
    }

    /// Returns the origin that has sent a response: the origin of the request, unless a redirect has led to another origin. An interceptor
    /// that sends the request elsewhere does not change it.
    private func origin(of response: HttpResponse) -> String {
        let (first, origin) = (response.request.firstOrigin, response.request.knownOrigin)
        return first == nil || first == origin ? request.knownOrigin : origin
    }

    private func send(in scope: ExchangeScope) async -> Result<HttpResponse, NetworkError> {
        var request = request
        request.lastEvent = lastEvent
        if let target = try? request.target() { request.setLastEventId(for: target) }
        if let deadline { request.timeouts?.total = max(.milliseconds(1), deadline - time.now()) }
        let pauses = CallPauses()
        // The pauses of interceptors extend the deadline of the stream as well as the timeout of the call.
        defer { deadline = deadline.map { $0 + pauses.duration() } }
        do throws(NetworkError) {
            return .success(try await client.perform(request, in: scope, pauses: pauses))
        } catch {
            return .failure(error)
        }
    }

    private func open(_ response: HttpResponse, in scope: ExchangeScope) {
        connection = EventConnection(response, in: scope)
        parser.restart()
    }

    private func read(_ connection: EventConnection) async throws(EventStreamError) {
        switch await connection.read() {
        case .success(let chunk?): parser.append(chunk)
        case .success(nil): try await continueStream(after: connection)
        // An idle timeout may be due to a broken network path while the server still works.
        case .failure(.timeout) where isRepeatable: try await continueStream(after: connection)
        case .failure(let error):
            await close(connection)
            let outcome = Result<HttpResponse, NetworkError>.failure(error.naming(request.description))
            try await recover(from: outcome, in: nil, isResumption: connection.hadEvents)
        }
    }

    private func close(_ connection: EventConnection) async {
        self.connection = nil
        await connection.close()
    }

    /// Waits before the next connection, after the server has ended the previous one.
    private func continueStream(after connection: EventConnection) async throws(EventStreamError) {
        await close(connection)
        isOver = !isRepeatable
        if !isOver { try await wait(for: reconnection.waitAfterEnd(hadEvents: connection.hadEvents)) }
    }

    private func wait(for delay: Duration) async throws(EventStreamError) {
        if let total, isTooLate(after: delay) {
            let timeout = NetworkFailure(
                "the stream has reached the timeout of its request, \(Quantity.time(total))",
                phase: .body,
                advice: SettingAdvice.raiseStreamTimeout.rawValue
            )
            throw failure(.network(.timeout(timeout)))
        }
        do throws(NetworkError) {
            try await client.wait(for: delay)
        } catch {
            throw failure(.network(error))
        }
    }

    /// Returns a Boolean value that indicates whether the stream must end before a delay is over.
    private func isTooLate(after delay: Duration) -> Bool { deadline.map { time.now() + delay >= $0 } ?? false }

    /// Waits after a failure if another attempt may succeed.
    private func recover(
        from outcome: Result<HttpResponse, NetworkError>,
        in scope: ExchangeScope?,
        isResumption: Bool = false
    ) async throws(EventStreamError) {
        guard isRepeatable, reconnection.covers(outcome, of: request) else { throw await failure(outcome, in: scope) }
        let plan = client.retries.plan(after: outcome, isResumption: isResumption) { retryAfter in
            let plan = reconnection.planAfterFailure(retryAfter: retryAfter, at: time.now())
            if case .wait(let delay) = plan, isTooLate(after: delay) { return .giveUp(.time) }
            return plan
        }
        switch plan {
        case .giveUp(let reason): throw await failure(outcome, in: scope, note: reconnection.note(of: reason))
        case .wait(let delay):
            await scope?.end()
            do throws(NetworkError) {
                try await client.retries.wait(
                    RetryEvent(request: request, outcome: outcome, attempt: reconnection.failures, delay: delay)
                )
            } catch {
                throw failure(.network(error))
            }
        }
    }

    private func failure(
        _ outcome: Result<HttpResponse, NetworkError>,
        in scope: ExchangeScope?,
        note: String = ""
    ) async -> EventStreamError {
        switch outcome {
        case .success(let response):
            return failure(.status(await response.summarized(in: scope)))
        case .failure(var error):
            await scope?.end()
            error.failure.reason += note
            return failure(.network(error))
        }
    }
}

// MARK: Events

extension EventReader {
    /// Returns the next event in the received bytes; `nil` if it is incomplete.
    private func parseEvent() throws(EventStreamError) -> ServerSentEvent? {
        defer {
            if let time = parser.reconnectionTime { reconnection.reconnectionTime = time }
            if let connection, parser.sendableId != lastEvent.id {
                lastEvent = LastEvent(id: parser.sendableId, origin: origin(of: connection.response))
            }
        }
        do throws(EventStreamParser.Overflow) {
            return try parser.next()
        } catch {
            throw failure(.tooLarge(error.description))
        }
    }
}

extension EventStreamParser {
    fileprivate init(lastEventId: String, _ options: EventStreamOptions) {
        self.init(
            lastEventId: lastEventId,
            maximumLineSize: options.maximumLineSize,
            maximumEventSize: options.maximumEventSize
        )
    }
}

extension EventStreamParser.Overflow: CustomStringConvertible {
    var description: String {
        switch self {
        case .line(let limit):
            "a line of the event stream is longer than \(Quantity.size(Int64(limit))); \(SettingAdvice.raiseLineSize.rawValue)"
        case .event(let limit):
            "an event has more than \(Quantity.size(Int64(limit))) of data; \(SettingAdvice.raiseEventSize.rawValue)"
        }
    }
}

extension HttpResponse {
    fileprivate var isEventStream: Bool {
        let type = headers["Content-Type"]?.first?.prefix { $0 != ";" } ?? ""
        return type.trimmingCharacters(in: .whitespaces).lowercased() == NetworkConstants.contentTypeEventStream
    }

    /// The error of events in a content coding that has not been decoded; `nil` if there is none.
    fileprivate var codingProblem: NetworkError? {
        let coding = headers["Content-Encoding"]?.joined(separator: ", ").lowercased() ?? ""
        if ["", "identity"].contains(coding) { return nil }
        return .undecodableBody(
            NetworkFailure(
                "the events cannot be read, because they are encoded (Content-Encoding: \(VisibleText.line(coding, longest: 100)))",
                phase: .body,
                advice: SettingAdvice.decodeEvents.rawValue
            )
        )
    }

    /// Returns the response for an error, and ends the scope. The response has its body if at most 64 KiB are received within
    /// 10 seconds.
    fileprivate func summarized(in scope: ExchangeScope?) async -> HttpResponse {
        let collected = await withTaskGroup(of: HttpResponse?.self) { group in
            group.addTask { try? await self.collected(upTo: 64 << 10) }
            group.addTask {
                try? await Task.sleep(for: .seconds(10))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        await scope?.end()
        return collected ?? self
    }
}

extension HttpClient {
    /// Returns the request to send on each connection.
    fileprivate func prepared(
        _ request: HttpRequest,
        _ options: EventStreamOptions,
        policy: RetryPolicy?
    ) -> HttpRequest {
        var request = request
        if let policy { request.retry = policy }
        var timeouts = request.timeouts ?? configuration.timeouts
        // A timeout of the request limits the stream, which may use several connections.
        if request.timeout == nil { timeouts = timeouts.forStream }
        timeouts.total = nil
        request.timeout = nil
        request.timeouts = timeouts
        if let idleTimeout = options.idleTimeout { request.timeouts?.idle = idleTimeout }
        request.setEventStreamHeaders()
        return request
    }
}

extension HttpRequest {
    /// The maximum duration of the stream, if the request has a timeout.
    fileprivate var totalTime: Duration? { timeout.map { .seconds(min($0, 1e9)) } }

    /// The origin of the request; empty if its URL is invalid, so that it cannot be sent.
    fileprivate var knownOrigin: String { (try? origin()) ?? "" }
}

/// A response with a stream of events as its body. The connection is closed when the instance is released.
private final class EventConnection {
    let response: HttpResponse
    /// A Boolean value that indicates whether an event was received.
    var hadEvents = false
    private let scope: ExchangeScope
    private var chunks: ResponseBody.AsyncIterator

    init(_ response: HttpResponse, in scope: ExchangeScope) {
        self.response = response
        self.scope = scope
        chunks = response.bodyStream.makeAsyncIterator()
    }

    deinit {
        response.bodyStream.cancel()
    }

    func read() async -> Result<Data?, NetworkError> {
        do {
            return .success(try await chunks.next())
        } catch {
            return .failure(NetworkError(wrapping: error, reason: "the event stream could not be read"))
        }
    }

    /// Closes the connection, and waits until the transport has released it.
    func close() async { await scope.end() }
}
