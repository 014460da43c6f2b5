/// The components that nodes use.
///
/// Like them, it is not `Sendable`: only the authorization server can use it.
final class JourneyServices {
    let context: ServerContext
    let accounts: UserAccounts
    let oneTimePasswords: OneTimePasswordDevices
    let passkeys: Passkeys
    let push: PushDevices

    init(
        _ context: ServerContext,
        accounts: UserAccounts,
        oneTimePasswords: OneTimePasswordDevices,
        passkeys: Passkeys,
        push: PushDevices
    ) {
        self.context = context
        self.accounts = accounts
        self.oneTimePasswords = oneTimePasswords
        self.passkeys = passkeys
        self.push = push
    }

    /// Removes the devices of an expired account, before a new account with its name has any.
    func removeDevices(of username: String) {
        passkeys.removeAll(of: username)
        oneTimePasswords.remove(username)
        push.removeAll(of: username)
    }
}
