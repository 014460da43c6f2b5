import Foundation
import Sallyport
import SallyportStorage

/// A running resource call, which can be observed, suspended and cancelled.
///
/// A task starts by itself. Its result is passed to the completion closure of the call.
///
/// ```swift
/// let task = SharedUserClient.instance.sendAuthenticatedRequest(request) { response, error in … }
/// task?.suspend()
/// task?.resume()
/// if let task { for await state in task.states { print(task.identifier, state) } }
/// ```
///
/// A task that is suspended before its request is sent does not send it until it is resumed. A task that is suspended later does not
/// read the response any further, and continues without losing data when it is resumed. The request timeout does not advance while
/// the task is suspended. The server may close a connection that is not read for long; the call then fails. An attempt with a
/// `RetryPolicy.attemptTimeout` ends at that time even if its task was suspended after its request was sent.
///
/// A task that is suspended after its request was sent keeps its connection. Do not suspend many: when all connections to a host are in
/// use, further calls to it, and the refresh of tokens, wait until their timeouts.
public final class NetworkTask: Sendable {
    /// The state of a task.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The call continues.
        case running
        /// The call waits until it is resumed, cancelled, or fails.
        case suspended
        /// The call was cancelled. This state is final.
        case cancelled
        /// The call has ended with a response or an error. This state is final.
        case completed

        /// A Boolean value that indicates whether the state does not change any more.
        public var isFinal: Bool { self == .cancelled || self == .completed }
    }

    private struct Content {
        var state = State.running
        var response: ResourceResponse?
        var error: ResourceError?
        /// The total time of all suspensions before the current one.
        var suspended = Duration.zero
        /// The time at the start of the current suspension.
        var suspension: Duration?
        var observers: [UUID: AsyncStream<State>.Continuation] = [:]
        var work: Task<Void, Never>?
    }

    /// The identifier of the task, which no other task has.
    public let identifier = UUID().uuidString

    /// The request of the call.
    public let request: ResourceRequest

    /// The task that the current call belongs to.
    @TaskLocal static var current: NetworkTask?

    /// The suspensions, during which the clock of the call does not advance.
    let pauses = CallPauses()

    private let call: ResourceCall
    private let content = Locked(Content())
    private let time: TimeSource
    private let start: Duration

    /// Creates a task in the state `running`. ``run(_:completion:)`` starts its call.
    init(_ request: ResourceRequest, _ call: ResourceCall, time: TimeSource = .system) {
        self.request = request
        self.call = call
        self.time = time
        start = time.now()
    }

    /// The state.
    public var state: State { content.withLock { $0.state } }

    /// The response; `nil` until the call has ended, and if it ended without a response.
    public var response: ResourceResponse? { content.withLock { $0.response } }

    /// The error; `nil` until the call has failed or was cancelled.
    public var error: ResourceError? { content.withLock { $0.error } }

    /// The current state and all later ones, until the last.
    public var states: AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self)
        let key = UUID()
        continuation.onTermination = { [content] _ in content.withLock { _ = $0.observers.removeValue(forKey: key) } }
        let isFinal = content.withLock { content in
            continuation.yield(content.state)
            if !content.state.isFinal { content.observers[key] = continuation }
            return content.state.isFinal
        }
        if isFinal { continuation.finish() }
        return stream
    }

    /// Cancels the call if it is running or suspended. It then ends with ``ResourceError/Reason/cancelled``.
    ///
    /// The server may have received the request already.
    public func cancel() {
        let work = transition(to: .cancelled, from: [.running, .suspended]) { content in
            content.error = .cancelled(call)
            return content.work
        }
        work??.cancel()
    }

    /// Suspends the call if it is running.
    ///
    /// A suspended call does not end with a response. It may end with an error, for example if the server closes the connection.
    public func suspend() {
        _ = transition(to: .suspended, from: [.running]) { $0.suspension = time.now() }
    }

    /// Continues the call if it is suspended.
    public func resume() {
        _ = transition(to: .running, from: [.suspended]) { content in
            if let suspension = content.suspension { content.suspended += time.now() - suspension }
            content.suspension = nil
        }
    }

    /// Runs the call in a new task.
    ///
    /// - Parameters:
    ///   - perform: The call.
    ///   - completion: A closure that is called once, with the response, the error, or both if the server responded with a failure.
    func run(
        _ perform: @escaping @Sendable () async throws(ResourceError) -> ResourceResponse,
        completion: @escaping @MainActor (ResourceResponse?, ResourceError?) -> Void
    ) {
        let work = Task {
            await Self.$current.withValue(self) {
                do throws(ResourceError) {
                    try await self.waitWhileSuspended()
                    let response = try await perform()
                    repeat { try await self.waitWhileSuspended() } while !self.finish(with: response)
                } catch {
                    self.finish(with: error)
                }
            }
            let (response, error) = self.content.withLock { ($0.response, $0.error) }
            await completion(response, error)
        }
        let isCancelled = content.withLock { content in
            content.work = work
            return content.state == .cancelled
        }
        if isCancelled { work.cancel() }
    }

    /// Waits until the task is not suspended.
    ///
    /// - Throws: ``ResourceError/Reason/cancelled``.
    func waitWhileSuspended() async throws(ResourceError) {
        // The task may be suspended again before the change of its state is received.
        while state == .suspended, !Task.isCancelled {
            for await state in states where state != .suspended { break }
        }
        if Task.isCancelled || state == .cancelled { throw .cancelled(call) }
    }

    /// The time since the start of the task, without suspensions.
    private var activeTime: Duration {
        content.withLock { content in
            let now = time.now()
            return now - start - content.suspended - (content.suspension.map { now - $0 } ?? .zero)
        }
    }

    /// A clock for waits. Its time does not advance while the task is suspended.
    var clock: TimeSource {
        TimeSource(now: { self.activeTime }, date: time.date) { [time] duration in
            let end = self.activeTime + duration
            while true {
                try await self.waitWhileSuspended()
                let left = end - self.activeTime
                if left <= .zero { return }
                try await time.sleep(left)
            }
        }
    }

    /// Completes the task with a response, unless it is suspended or cancelled.
    ///
    /// - Returns: A Boolean value that indicates whether the task is completed.
    private func finish(with response: ResourceResponse) -> Bool {
        transition(to: .completed, from: [.running]) { $0.response = response } != nil
    }

    /// Completes the task with an error, unless it is cancelled.
    private func finish(with error: ResourceError) {
        _ = transition(to: .completed, from: [.running, .suspended]) { content in
            content.response = error.response
            content.error = error
        }
    }

    /// Changes the state, unless the current one is not among those that allow it.
    private func transition<Value: Sendable>(
        to state: State,
        from allowed: Set<State>,
        _ change: (inout Content) -> Value
    ) -> Value? {
        let (value, ended) = content.withLock { content -> (Value?, [AsyncStream<State>.Continuation]) in
            guard allowed.contains(content.state) else { return (nil, []) }
            if state == .suspended { pauses.begin() } else if content.state == .suspended { pauses.end() }
            content.state = state
            let value = change(&content)
            for observer in content.observers.values { observer.yield(state) }
            guard state.isFinal else { return (value, []) }
            let ended = Array(content.observers.values)
            content.observers = [:]
            return (value, ended)
        }
        for observer in ended { observer.finish() }
        return value
    }
}

extension NetworkTask: CustomStringConvertible, CustomReflectable {
    /// The request, the state and the identifier.
    public var description: String { "\(request) (\(state.rawValue), \(identifier))" }

    /// A mirror of ``description``, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["task": description], displayStyle: .class) }
}
