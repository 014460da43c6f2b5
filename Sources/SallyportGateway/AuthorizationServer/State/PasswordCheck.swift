/// Checks passwords one at a time, so that guesses in great number take neither all processors nor all memory.
actor PasswordCheck {
    /// Whether it is the password that was hashed.
    func matches(_ password: String, _ hash: PasswordHash) -> Bool {
        hash.matches(password)
    }

    /// Whether it is the password of the user, if there is one; else it takes as long as if there were.
    func matches(_ password: String, of user: GatewayUser?, among users: [GatewayUser]) -> Bool {
        if let user { return user.password.matches(password) }
        _ = users.first?.password.matches(password)
        return false
    }
}
