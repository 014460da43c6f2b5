import Dispatch

/// Checks passwords one at a time, so that guesses in great number take neither all processors nor all memory, and on a
/// thread of its own, so that requests are served meanwhile.
struct PasswordCheck: Sendable {
    private let queue = DispatchQueue(label: "sallyport.gateway.passwords")

    /// Returns whether it is the password that was hashed.
    func matches(_ password: String, _ hash: PasswordHash) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: hash.matches(password)) }
        }
    }

    /// Returns whether it is the password of the user, if there is one; otherwise it takes as long as if there were.
    func matches(_ password: String, of user: GatewayUser?, among users: [GatewayUser]) async -> Bool {
        guard let hash = (user ?? users.first)?.password else { return false }
        let isRight = await matches(password, hash)
        return isRight && user != nil
    }
}
