import ArgumentParser
import Foundation
import Sallyport
import SallyportJourney

/// Approves sign-ins with push messages, instead of an app on a phone.
struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Approves or denies sign-ins with push messages, without a phone.",
        discussion: """
            The command is the authenticator app of a PingAM server. It can enrol at any such server, but receives messages only from \
            sallyport serve, because other servers send them by the push services of phones. The secrets are stored in the \
            folder of the profile, encrypted if SALLYPORT_STORE_KEY (or SALLYPORT_STORE_KEY_FILE) contains a key.

            Examples:
              sallyport push enrol - < uri.txt
              sallyport push watch
              sallyport push approve --wait 60
              sallyport push approve --number 42
            """,
        subcommands: [
            PushEnrolCommand.self, PushListCommand.self, PushWatchCommand.self, PushApproveCommand.self,
            PushDenyCommand.self, PushRemoveCommand.self,
        ]
    )
}

/// The options for the profile and its servers. Omitted options have the values of the profile.
struct PushOptions: ParsableArguments {
    @OptionGroup
    var profile: ProfileOptions

    @Option(name: .customLong("cacert"), help: .cacert, completion: .file())
    var authorities: String?

    @Option(help: ArgumentHelp("A proxy to the server, as for requests; empty for none.", valueName: "url"))
    var proxy: String?
}

struct PushEnrolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol",
        abstract: "Enrols this computer with the URI in a server's QR code (pushauth:// or mfauth://).",
        discussion: """
            Pass the URI on standard input, because other users can see arguments in the list of processes. If the URI also \
            contains one-time passwords, they are added to sallyport otp.
            """,
        aliases: ["enroll"]
    )

    @Argument(help: ArgumentHelp(RegistrationURI.help, valueName: "uri"))
    var uri: String

    @OptionGroup
    var options: PushOptions

    func run() async throws {
        let (options, argument) = (options, uri)
        try await Interruption.cancelOnSignal {
            let uri = try await RegistrationURI.read(argument)
            let name = try options.profile.name()
            let mechanism = try await PushAuthenticator(options).enrol(uri)
            StandardError.print("Enrolled for push messages of \(mechanism). Next: sallyport push watch\(name.option)")
            guard try MechanismKind.kinds(in: uri).contains(.oneTimePassword) else { return }
            let account = try await OneTimePasswordCommand.passwords(of: name).add(uri)
            StandardError.print("Added \(account). Show a password with: sallyport otp\(name.option)")
        }
    }
}

struct PushListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the enrolled accounts, and the messages that have not been answered.",
        discussion: """
            The newest message is the last. A message can be answered until it expires, even if its sign-in has ended. No request is \
            sent: push watch and push approve collect new messages.
            """
    )

    @Flag(help: "Print a JSON object with an array of the accounts and an array of the messages.")
    var json = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, json) = (try profile.name(), json)
        try await Interruption.cancelOnSignal {
            let client = PushClient(store: try ProfileFolder().mechanismStore(of: name), owner: name.description)
            let mechanisms = try await client.mechanisms()
            if json {
                return print(try JsonText.indented(PushListing(mechanisms, try await client.pendingMessages())))
            }
            if mechanisms.isEmpty {
                StandardError.print("There is no account. Enrol one with: sallyport push enrol -\(name.option)")
            }
            for mechanism in mechanisms { print(PushAuthenticator.mechanisms.line(mechanism)) }
            let messages = try await client.pendingMessages().sorted { $0.sentAt < $1.sentAt }
            for (index, message) in messages.enumerated() {
                let isNewestOfSeveral = messages.count > 1 && index == messages.count - 1
                print(PushAuthenticator.messages.line(message, isNewestOfSeveral ? ", the newest" : ""))
            }
        }
    }
}

/// The accounts and the messages as `push list --json` shows them.
private struct PushListing: Encodable {
    struct Account: Encodable {
        let id: String
        let issuer: String
        let account: String
    }

    struct Message: Encodable {
        let id: String
        /// The identifier of the account.
        let accountId: String
        let text: String?
        let sent: Date
        let expires: Date
    }

    let accounts: [Account]
    /// The messages that have not been answered. The newest is the last.
    let messages: [Message]

    init(_ mechanisms: [PushMechanism], _ messages: [PushMessage]) {
        accounts = mechanisms.map { Account(id: $0.id, issuer: $0.issuer, account: $0.account) }
        self.messages = messages.sorted { $0.sentAt < $1.sentAt }.map { message in
            Message(
                id: message.id,
                accountId: message.mechanismID,
                text: message.text,
                sent: message.sentAt,
                expires: message.expiresAt
            )
        }
    }
}

struct PushRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes an enrolled account from this computer. The server is not informed."
    )

    @Argument(
        help: ArgumentHelp("The identifier, as shown by push list, or a part of the account.", valueName: "account")
    )
    var account: String

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, text) = (try profile.name(), account)
        try await Interruption.cancelOnSignal {
            let client = PushClient(store: try ProfileFolder().mechanismStore(of: name), owner: name.description)
            let mechanism = try PushAuthenticator.mechanisms.one(of: try await client.mechanisms(), matching: text)
            try await client.remove(mechanism.id)
            StandardError.print("Removed \(mechanism).")
        }
    }
}
