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
        /// The time of the last ``newValue(at:_:)`` that read the value.
        var lastReload = Date.distantPast
        /// The error of that reload; `nil` if it succeeded.
        var reloadFailure: (any Error)?
    }

    /// The lifetime of a value, in seconds.
    private static var lifetime: TimeInterval { 3600 }
    /// The lifetime of a value while the server cannot be reached, in seconds.
    private static var emergencyLifetime: TimeInterval { 86_400 }
    /// The minimum interval between two reloads of a value that has not expired, in seconds.
    private static var minimumReloadInterval: TimeInterval { 10 }
    /// The minimum interval between a failed reload and the next one, in seconds.
    private static var retryInterval: TimeInterval { 1 }

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

    /// Reads the value again because the cached one is out of date. Until the next read is allowed, returns the value or
    /// throws the error of this one, so that invalid tokens do not cause a request each.
    func newValue(at now: Date, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let known = state.withLock { $0 }
        if let failure = known.reloadFailure {
            if Self.isTime(now, within: Self.retryInterval, of: known.lastReload) { throw failure }
        } else if let value = known.value, Self.isTime(now, within: Self.minimumReloadInterval, of: known.lastReload) {
            return value
        }
        do {
            let value = try await fetch(after: known.version, at: now, read)
            state.withLock { ($0.lastReload, $0.reloadFailure) = (now, nil) }
            return value
        } catch {
            if !Task.isCancelled { state.withLock { ($0.lastReload, $0.reloadFailure) = (now, error) } }
            throw error
        }
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
