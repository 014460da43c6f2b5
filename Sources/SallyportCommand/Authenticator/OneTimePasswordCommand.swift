import ArgumentParser
import Foundation
import Sallyport
import SallyportJourney

/// Creates one-time passwords.
struct OneTimePasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "otp",
        abstract: "Shows one-time passwords (TOTP and HOTP).",
        discussion: """
            Accounts are stored in the folder of the profile, encrypted if SALLYPORT_STORE_KEY (or SALLYPORT_STORE_KEY_FILE) \
            contains a key. Pass the URI on standard input, because other users can see arguments in the list of processes.

            Examples:
              sallyport otp add - < uri.txt
              sallyport otp
              sallyport otp code alice
            """,
        subcommands: [
            OneTimePasswordCodeCommand.self, OneTimePasswordAddCommand.self, OneTimePasswordListCommand.self,
            OneTimePasswordRemoveCommand.self,
        ],
        defaultSubcommand: OneTimePasswordCodeCommand.self
    )

    static let accounts = ItemSelection<OneTimePasswordAccount>(noun: "account with one-time passwords") { $0.id }

    static func passwords(of name: ProfileName) throws -> OneTimePasswords {
        OneTimePasswords(store: try ProfileFolder().mechanismStore(of: name), owner: name.description)
    }
}

struct OneTimePasswordCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Prints the current one-time password of an account, and the time for which it is valid.",
        discussion: "A password that is based on a counter is printed once; the next call prints the next one."
    )

    @Argument(
        help: ArgumentHelp(
            "A part of the account, or its identifier, as shown by otp list. It can be omitted if there is only one.",
            valueName: "account"
        )
    )
    var account: String?

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, text) = (try profile.name(), account)
        try await Interruption.cancelOnSignal {
            let passwords = try OneTimePasswordCommand.passwords(of: name)
            let accounts = try await passwords.accounts()
            let account = try OneTimePasswordCommand.accounts.one(of: accounts, matching: text)
            let password = try await passwords.next(for: account.id)
            print(password.text)
            let validity = password.expiresAt.map { Format.timeLeft(.seconds($0.timeIntervalSinceNow)) }
            StandardError.print("\(account)\(validity.map { ", \($0)" } ?? "")")
        }
    }
}

struct OneTimePasswordAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds an account with the URI in a server's QR code (otpauth:// or mfauth://)."
    )

    @Argument(help: ArgumentHelp(RegistrationURI.help, valueName: "uri"))
    var uri: String

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, uri) = (try profile.name(), uri)
        try await Interruption.cancelOnSignal {
            let account = try await OneTimePasswordCommand.passwords(of: name).add(try await RegistrationURI.read(uri))
            StandardError.print("Added \(account). Show a password with: sallyport otp\(name.option)")
        }
    }
}

struct OneTimePasswordListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the accounts with their identifiers."
    )

    @Flag(help: "Print a JSON array with an object for each account.")
    var json = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, json) = (try profile.name(), json)
        try await Interruption.cancelOnSignal {
            let accounts = try await OneTimePasswordCommand.passwords(of: name).accounts()
            if json { return print(try JsonText.indented(accounts.map(ListedAccount.init))) }
            if accounts.isEmpty {
                StandardError.print("There is no account. Add one with: sallyport otp add -\(name.option)")
            }
            for account in accounts {
                let factor =
                    switch account.factor {
                    case .time(let period): "every \(period) s"
                    case .counter(let counter): "by counter, next \(counter)"
                    }
                print(OneTimePasswordCommand.accounts.line(account, "  \(account.digits) digits \(factor)"))
            }
        }
    }
}

/// An account as `otp list --json` shows it, without its secret.
private struct ListedAccount: Encodable {
    let id: String
    let issuer: String
    let account: String
    let algorithm: String
    let digits: Int
    /// The validity of a password in seconds; `nil` for passwords that are based on a counter.
    let period: Int?
    /// The counter of the next password; `nil` for passwords that are based on the time.
    let counter: UInt64?

    init(_ account: OneTimePasswordAccount) {
        id = account.id
        issuer = account.issuer
        self.account = account.account
        algorithm = account.algorithm.rawValue
        digits = account.digits
        switch account.factor {
        case .time(let period): (self.period, counter) = (period, nil)
        case .counter(let next): (period, counter) = (nil, next)
        }
    }
}

struct OneTimePasswordRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes an account from this computer. The server is not informed."
    )

    @Argument(
        help: ArgumentHelp("The identifier, as shown by otp list, or a part of the account.", valueName: "account")
    )
    var account: String

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, text) = (try profile.name(), account)
        try await Interruption.cancelOnSignal {
            let passwords = try OneTimePasswordCommand.passwords(of: name)
            let account = try OneTimePasswordCommand.accounts.one(of: try await passwords.accounts(), matching: text)
            try await passwords.remove(account.id)
            StandardError.print("Removed \(account).")
        }
    }
}
