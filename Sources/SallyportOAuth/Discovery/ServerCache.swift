import Foundation
import Sallyport
import SallyportStorage

/// A cache for a document that a server publishes. Only one task at a time reads the document.
final class ServerCache<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var readAt = Date.distantPast
        /// The number of times that the value was read.
        var version = 0
        /// The time of the last successful ``newValue(at:_:)`` that read the value.
        var lastReload = Date.distantPast
    }

    /// The lifetime of a value, in seconds.
    private static var lifetime: TimeInterval { 3600 }
    /// The lifetime of a value while the server cannot be reached, in seconds.
    private static var emergencyLifetime: TimeInterval { 86_400 }
    /// The minimum interval between two reloads of a value that has not expired, in seconds.
    private static var minimumReloadInterval: TimeInterval { 10 }

    private let state = Locked(State())
    private let shared = SharedFetch<Value>()

    /// Returns the value that was read in the last hour, or reads it. If that fails temporarily, a value that was read in the
    /// last day is returned.
    func value(at now: Date, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let known = state.withLock { $0 }
        if let value = known.value, Self.isTime(now, within: Self.lifetime, of: known.readAt) { return value }
        do {
            return try await fetch(after: known.version, at: now, read)
        } catch {
            let isUsable = Self.isTime(now, within: Self.emergencyLifetime, of: known.readAt)
            guard isUsable, let value = known.value, !Task.isCancelled, Self.isTemporary(error) else { throw error }
            return value
        }
    }

    /// Returns `false` also for a time in the future: the clock has been set back by an unknown amount.
    private static func isTime(_ now: Date, within interval: TimeInterval, of time: Date) -> Bool {
        (0..<interval).contains(now.timeIntervalSince(time))
    }

    /// Returns a Boolean value that indicates whether a later attempt may succeed.
    private static func isTemporary(_ error: any Error) -> Bool {
        error is NetworkError || ((error as? OAuthError)?.isTemporary ?? false)
    }

    /// Reads the value again because the cached one is out of date, or returns the cached one if it was successfully
    /// read again in the last ten seconds.
    func newValue(at now: Date, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let known = state.withLock { $0 }
        if let value = known.value, Self.isTime(now, within: Self.minimumReloadInterval, of: known.lastReload) {
            return value
        }
        let value = try await fetch(after: known.version, at: now, read)
        state.withLock { $0.lastReload = now }
        return value
    }

    /// Reads the value, unless another task has read a newer one meanwhile.
    ///
    /// - Parameter version: The version that is out of date.
    private func fetch(
        after version: Int,
        at now: Date,
        _ read: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await shared.value {
                let newer = self.state.withLock { $0.version > version ? $0.value : nil }
                if let newer { return newer }
                let value = try await read()
                self.state.withLock { state in
                    state.value = value
                    state.readAt = now
                    state.version += 1
                }
                return value
            }
        } catch is CancellationError {
            throw NetworkError.cancelled("the task was cancelled")
        }
    }
}
