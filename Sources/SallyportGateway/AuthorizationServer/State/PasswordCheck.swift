import Dispatch

/// Checks passwords on its own serial queue.
///
/// Many guesses at once use neither all processors nor all memory, and other requests are served meanwhile.
struct PasswordCheck: Sendable {
    private let queue = DispatchQueue(label: "sallyport.gateway.passwords")

    /// Returns whether a password matches a hash.
    func matches(_ password: String, _ hash: PasswordHash) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: hash.matches(password)) }
        }
    }

    /// Returns whether a password is that of a user. An unknown user takes as long as a known one.
    ///
    /// - Parameter user: The user; `nil` if nobody has the given name.
    func matches(_ password: String, of user: GatewayUser?, among users: [GatewayUser]) async -> Bool {
        guard let hash = (user ?? users.first)?.password else { return false }
        let isRight = await matches(password, hash)
        return isRight && user != nil
    }
}
