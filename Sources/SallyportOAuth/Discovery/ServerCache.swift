import Foundation
import Sallyport

/// Something that a server publishes, read once and kept for an hour, by one task at a time.
final class ServerCache<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var readAt = Date.distantPast
        /// How often it has been read.
        var version = 0
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
        if let value = known.value, Self.isTime(now, within: Self.lifetime, of: known.readAt) { return value }
        do {
            return try await fetch(after: known.version, at: now, read)
        } catch {
            let isUsable = Self.isTime(now, within: Self.emergencyLifetime, of: known.readAt)
            guard isUsable, let value = known.value, !Task.isCancelled, Self.mayPass(error) else { throw error }
            return value
        }
    }

    /// A time before the other one does not count: the clock has been set back, and nobody knows by how much.
    private static func isTime(_ now: Date, within interval: TimeInterval, of time: Date) -> Bool {
        (0..<interval).contains(now.timeIntervalSince(time))
    }

    /// Returns a Boolean value that indicates whether the server may answer later.
    private static func mayPass(_ error: any Error) -> Bool {
        error is NetworkError || ((error as? OAuthError)?.isTemporary ?? false)
    }

    /// The value read again, as the known one has shown to be out of date; the known one if that was done just now.
    func newValue(at now: Date, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (known, version) = state.withLock { state -> (Value?, Int) in
            if Self.isTime(now, within: Self.shortestInterval, of: state.askedAgainAt), let value = state.value {
                return (value, state.version)
            }
            state.askedAgainAt = now
            return (nil, state.version)
        }
        if let known { return known }
        return try await fetch(after: version, at: now, read)
    }

    /// - Parameter version: The one that is out of date; a later one, which another task has read meanwhile, is taken as it is.
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
