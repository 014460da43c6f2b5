import SallyportStorage

/// A number that changes with the owner of a session's tokens: when another user signs in, or when the device is reset.
///
/// A client that stores cookies compares it, so that the cookies of one owner are not sent with the tokens of the next.
final class TokenOwner: Sendable {
    private let number = Locked(0)

    /// The current number.
    var current: Int { number.withLock { $0 } }

    /// Runs a closure that replaces or removes the tokens.
    ///
    /// The number changes before and after the closure, so that a client that is created meanwhile is not used later.
    func changing(_ body: () async throws -> Void) async rethrows {
        number.withLock { $0 += 1 }
        defer { number.withLock { $0 += 1 } }
        try await body()
    }
}
