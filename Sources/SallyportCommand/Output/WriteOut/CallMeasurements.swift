import Foundation
import Sallyport
import SallyportStorage

/// An interceptor that records each request of a call as it is sent, for `--write-out` and `--timings`.
final class CallMeasurements: Interceptor {
    /// A request that was sent, and its response.
    struct Exchange: Sendable {
        let start: ContinuousClock.Instant
        let method: String
        let url: String
        /// The size of the request's head, in bytes.
        let headSize: Int
        /// The size of the request's body, in bytes. If it is not known in advance, it is the size of the part that has been sent.
        var bodySize: Int64
        var response: Response?
    }

    struct Response: Sendable {
        let status: HttpStatus
        let fields: HTTPFields
        let connection: ConnectionFacts
    }

    private struct State: Sendable {
        var start = ContinuousClock.now
        var exchanges: [Exchange] = []
        var bodySize: Int64 = 0
        /// `true` if the size of the encoded body is counted instead of the size of the decoded body.
        var countsEncoded = false
    }

    private let asksForCompression: Bool
    private let state = Locked(State())

    init(asksForCompression: Bool) {
        self.asksForCompression = asksForCompression
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let head = try SentHead(request, asksForCompression: asksForCompression)
        let exchange = Exchange(
            start: .now,
            method: head.method,
            url: Self.url(of: try request.head()),
            headSize: head.size,
            bodySize: request.body.length ?? 0
        )
        let index = state.withLock { state in
            state.exchanges.append(exchange)
            return state.exchanges.count - 1
        }
        let response = try await next(counting(request, at: index))
        state.withLock { state in
            state.exchanges[index].response = Response(
                status: response.status,
                fields: response.headers.fields,
                connection: response.connection
            )
        }
        return response
    }

    /// Returns the request, with a body that counts its bytes if its size is not known in advance.
    private func counting(_ request: HttpRequest, at index: Int) -> HttpRequest {
        guard case .stream(let stream) = request.body, stream.length == nil else { return request }
        var request = request
        request.body = .stream(
            BodyStream(length: nil, isReplayable: stream.isReplayable) { [state] write in
                try await stream.forEachChunk { chunk in
                    state.withLock { $0.exchanges[index].bodySize += Int64(chunk.count) }
                    try await write(chunk)
                }
            }
        )
        return request
    }

    private static func url(of head: HTTPRequest) -> String {
        "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "/")"
    }

    /// Starts the clock.
    func start() { state.withLock { $0.start = .now } }

    /// Prepares to count the body of a response: as it was received, if it is not used by a cache, or else as decoded.
    func beginBody(of response: HttpResponse) {
        guard response.cacheStatus == nil, let encoded = response.bodyStream.encoded else { return }
        state.withLock { $0.countsEncoded = true }
        encoded.observe { [state] chunk in state.withLock { $0.bodySize += Int64(chunk.count) } }
    }

    /// Adds to the size of the body.
    ///
    /// - Parameter size: The size of a chunk after decoding, in bytes.
    func add(body size: Int) {
        state.withLock { state in
            if !state.countsEncoded { state.bodySize += Int64(size) }
        }
    }

    /// Returns the measurements at the end of the call.
    func end() -> MeasuredCall {
        state.withLock { state in
            MeasuredCall(
                start: state.start,
                end: .now,
                exchanges: state.exchanges,
                bodySize: state.bodySize
            )
        }
    }
}

/// The measurements of a call that has ended.
struct MeasuredCall: Sendable {
    let start: ContinuousClock.Instant
    let end: ContinuousClock.Instant
    /// The requests that were sent, in order: the first, and one for each redirect, retry and response to a challenge.
    let exchanges: [CallMeasurements.Exchange]
    /// The size of the last response's body, in bytes.
    let bodySize: Int64

    var total: Duration { end - start }

    /// The last response.
    var response: CallMeasurements.Response? { exchanges.last?.response }

    /// The connection of the last response.
    var connection: ConnectionFacts? { response?.connection }

    /// The number of redirects that were followed.
    var redirects: Int { earlier { $0.kind == .redirection } }

    /// The number of retries, except those that added credentials.
    var retries: Int { exchanges.dropLast().count - redirects - earlier { $0.code == 401 || $0.code == 407 } }

    private func earlier(_ isCounted: (HttpStatus) -> Bool) -> Int {
        exchanges.dropLast().count { $0.response.map { isCounted($0.status) } ?? false }
    }

    /// Returns the sum of a time of all connections.
    func sum(_ time: (ConnectionFacts) -> Duration?) -> Duration {
        exchanges.reduce(.zero) { $0 + ($1.response.flatMap { time($0.connection) } ?? .zero) }
    }
}

extension ConnectionFacts {
    /// The time that it took to open the connection; zero if it was reused.
    var openingTime: Duration { (resolve ?? .zero) + (connect ?? .zero) + (tls ?? .zero) }
}
