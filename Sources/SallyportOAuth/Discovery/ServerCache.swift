import Foundation
import Sallyport

/// Something that a server publishes, read once and kept for an hour, by one task at a time.
final class ServerCache<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var readAt = Date.distantPast
        var askedAgainAt = Date.distantPast
    }

    /// How long it is kept, in seconds.
    private static var lifetime: TimeInterval { 3600 }
    /// How long it is used on where it cannot be read again, in seconds.
    private static var emergencyLifetime: TimeInterval { 86_400 }
    /// How often it may be read again before its time, in seconds.
    private static var shortestInterval: TimeInterval { 10 }

    private let state = Locked(State())
    private let shared = SharedFetch<Value>()

    /// The value, as it was read in the last hour; or as it was read in the last day, if it cannot be read now.
    func value(at now: Date, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let known = state.withLock { $0 }
        if let value = known.value, now.timeIntervalSince(known.readAt) < Self.lifetime { return value }
        do {
            return try await fetch(at: now, read)
        } catch let error as NetworkError {
            if !Task.isCancelled, let value = known.value,
                now.timeIntervalSince(known.readAt) < Self.emergencyLifetime
            {
                return value
            }
            throw error
        }
    }

    /// The value read again, as the known one has shown to be out of date; the known one if that was done just now.
    func newValue(at now: Date, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let known: Value? = state.withLock { state in
            if now.timeIntervalSince(state.askedAgainAt) < Self.shortestInterval, let value = state.value {
                return value
            }
            state.askedAgainAt = now
            return nil
        }
        if let known { return known }
        return try await fetch(at: now, read)
    }

    private func fetch(at now: Date, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await shared.value {
                let value = try await read()
                self.state.withLock { state in
                    state.value = value
                    state.readAt = now
                }
                return value
            }
        } catch is CancellationError {
            throw NetworkError.cancelled("the task was cancelled")
        }
    }
}
