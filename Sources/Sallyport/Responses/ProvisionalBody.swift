import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// The body of a response that a later response may replace, such as that of a redirect.
///
/// A task receives the beginning. The rest is received only if the app gets this response.
final class ProvisionalBody: ResponseBodySource {
    /// The maximum number of bytes to receive before it is known that the app gets the response.
    static let limit = 65_536

    /// The time to receive them in.
    static let time = Duration.seconds(1)

    private struct Beginning: Sendable {
        var chunks: [Data] = []
        var isComplete = false
    }

    private let source: any ResponseBodySource
    private let beginning: Locked<Beginning>
    private let receiving: Task<Void, Never>
    private let received: AsyncStream<Never>

    /// Begins to receive a body, with a task that ends with the scope.
    init(_ source: any ResponseBodySource, in scope: ExchangeScope) throws(NetworkError) {
        let beginning = Locked(Beginning())
        let (received, end) = AsyncStream<Never>.makeStream()
        let receiving = Task {
            var count = 0
            // Reading again returns the end or the error again.
            while count <= Self.limit, let chunk = try? await source.read() {
                count += chunk.count
                beginning.withLock { $0.chunks.append(chunk) }
            }
            if count <= Self.limit { beginning.withLock { $0.isComplete = true } }
            end.finish()
        }
        self.source = source
        self.beginning = beginning
        self.receiving = receiving
        self.received = received
        let isOpen = scope.onExit {
            receiving.cancel()
            await receiving.value
        }
        if !isOpen {
            receiving.cancel()
            throw .cancelled("the scope of the call has ended")
        }
    }

    /// Waits for the end of the body, for a limited time.
    ///
    /// - Returns: `false` if the body is longer than the limit or takes longer.
    func isComplete() async -> Bool {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [received] in for await _ in received {} }
            group.addTask { try? await Task.sleep(for: Self.time) }
            await group.next()
            group.cancelAll()
        }
        return beginning.withLock { $0.isComplete }
    }

    func read() async throws(NetworkError) -> Data? {
        await withTaskCancellationHandler {
            await receiving.value
        } onCancel: {
            source.cancel()
        }
        let chunk = beginning.withLock { $0.chunks.isEmpty ? nil : $0.chunks.removeFirst() }
        if let chunk { return chunk }
        return try await source.read()
    }

    var trailers: HTTPFields { source.trailers }

    func cancel() { source.cancel() }
}

extension HttpStatus {
    /// A Boolean value that indicates whether a stage may send the request again after a response with this status.
    var isProvisional: Bool {
        switch code {
        case 304: false
        case 300..<400, 401, 407, 408, 425, 429, 500...: true
        default: false
        }
    }
}
