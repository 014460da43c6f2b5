import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// The body of a mock response, including its simulated failure.
final class MockBody: ResponseBodySource {
    private struct State: Sendable {
        var unread: Data
        var isCancelled = false
        var isOver = false
    }

    private let state: Locked<State>
    private let chunkSize: Int
    /// The simulated failure, if any.
    private let fault: MockFault?
    private let finalTrailers: HTTPFields
    private let gate: MockGate
    private let limit: Duration?

    init(_ response: MockResponse, isEmpty: Bool, gate: MockGate, limit: Duration?) {
        var bytes = isEmpty ? Data() : response.body
        var chunkSize = Int.max
        fault = isEmpty ? nil : response.fault
        switch fault {
        case .drip(let size): chunkSize = max(1, size)
        case .cut(let count), .stallBody(let count): bytes = bytes.prefix(max(0, count))
        case .fail, .stall, nil: break
        }
        self.chunkSize = chunkSize
        self.gate = gate
        self.limit = limit
        finalTrailers = response.trailers
        state = Locked(State(unread: bytes))
    }

    func read() async throws(NetworkError) -> Data? {
        try gate.checkOpen()
        if Task.isCancelled || state.withLock({ $0.isCancelled }) { throw .cancelled("the body was cancelled") }
        let chunk = state.withLock { state in
            let chunk = state.unread.prefix(chunkSize)
            state.unread = state.unread.dropFirst(chunk.count)
            return Data(chunk)
        }
        if !chunk.isEmpty { return chunk }
        switch fault {
        case .cut(let count):
            throw .incompleteBody(NetworkFailure("the body ended after \(count) bytes", phase: .body))
        case .stallBody:
            throw await gate.stall(for: limit, phase: .body)
        case .drip, .fail, .stall, nil:
            state.withLock { $0.isOver = true }
            return nil
        }
    }

    var isReceived: Bool { if case .stallBody? = fault { false } else { true } }

    var trailers: HTTPFields { state.withLock { $0.isOver } ? finalTrailers : [:] }

    func cancel() {
        state.withLock { $0.isCancelled = true }
    }
}
