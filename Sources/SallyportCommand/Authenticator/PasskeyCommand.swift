import ArgumentParser
import Foundation
import Sallyport
import SallyportJOSE
import SallyportJourney

/// Manages the passkeys of a profile.
struct PasskeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey",
        abstract: "Lists or removes the passkeys and device keys of a profile.",
        discussion: """
            sallyport login --journey creates a passkey when a tree registers one, and signs in with it. They are stored in the folder of \
            the profile, encrypted if SALLYPORT_STORE_KEY (or SALLYPORT_STORE_KEY_FILE) contains a key. A PIN protects \
            their use in this command. After eight wrong PINs, they cannot be used any more.
            """,
        subcommands: [PasskeyListCommand.self, PasskeyRemoveCommand.self]
    )

    static let passkeys = ItemSelection<Passkey>(noun: "passkey") { Base64Url.encode($0.id) }
    static let deviceKeys = ItemSelection<DeviceKey>(noun: "device key") { $0.id }

    static func authenticator(of name: ProfileName) throws -> SoftwareAuthenticator {
        SoftwareAuthenticator(
            store: try ProfileFolder().authenticatorStore(of: name),
            owner: name.description,
            user: TerminalUser(answers: AnswerList())
        )
    }
}

struct PasskeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the passkeys and device keys, with the identifiers for passkey remove."
    )

    @Flag(help: "Print a JSON array with an object for each passkey and device key.")
    var json = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, json) = (try profile.name(), json)
        try await Interruption.cancelOnSignal {
            let authenticator = try PasskeyCommand.authenticator(of: name)
            let (passkeys, keys) = (try await authenticator.passkeys(), try await authenticator.deviceKeys())
            if json { return print(try JsonText.indented(passkeys.map(ListedKey.init) + keys.map(ListedKey.init))) }
            if passkeys.isEmpty, keys.isEmpty {
                StandardError.print("The profile \(name) has no passkeys. A tree that registers one creates it.")
            }
            for passkey in passkeys {
                let uses = "\(passkey.signatureCount) \(passkey.signatureCount == 1 ? "signature" : "signatures")"
                print(
                    PasskeyCommand.passkeys.line(
                        passkey,
                        "  created \(passkey.createdAt.formatted(.iso8601)), \(uses)"
                    )
                )
            }
            for key in keys {
                let created = key.createdAt.formatted(.iso8601)
                print(PasskeyCommand.deviceKeys.line(key, "  device key, created \(created)"))
            }
        }
    }
}

/// A passkey or a device key as `passkey list --json` shows it.
private struct ListedKey: Encodable {
    let id: String
    let kind: String
    /// The domain of the servers of a passkey, or the origin of the server of a device key.
    let server: String
    let user: String
    let created: Date
    let signatures: UInt32?

    init(_ passkey: Passkey) {
        id = PasskeyCommand.passkeys.identifier(passkey)
        kind = "passkey"
        server = passkey.relyingPartyID
        user = passkey.userName
        created = passkey.createdAt
        signatures = passkey.signatureCount
    }

    init(_ key: DeviceKey) {
        id = key.id
        kind = "device_key"
        server = key.origin
        user = key.userName
        created = key.createdAt
        signatures = nil
    }
}

struct PasskeyRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a passkey or a device key from this computer.",
        discussion: "The server is not informed: remove the passkey from the account as well."
    )

    @Argument(
        help: ArgumentHelp("The identifier, as shown by passkey list, or a part of the account.", valueName: "id")
    )
    var id: String?

    @Flag(help: "Remove all passkeys and device keys, and the PIN.")
    var all = false

    @OptionGroup
    var profile: ProfileOptions

    func validate() throws {
        if all == (id != nil) { throw ValidationError("Specify either the identifier of a passkey or --all.") }
    }

    func run() async throws {
        let (name, id) = (try profile.name(), id)
        try await Interruption.cancelOnSignal {
            let authenticator = try PasskeyCommand.authenticator(of: name)
            guard let id else {
                try await authenticator.reset()
                StandardError.print("The passkeys, the device keys and the PIN of the profile \(name) were removed.")
                return
            }
            let keys = try await authenticator.deviceKeys()
            if let key = try? PasskeyCommand.deviceKeys.one(of: keys, matching: id) {
                try await authenticator.removeDeviceKey(key.id)
                StandardError.print("Removed the device key of \(key).")
            } else {
                let passkey = try PasskeyCommand.passkeys.one(of: try await authenticator.passkeys(), matching: id)
                try await authenticator.removePasskey(passkey.id)
                StandardError.print("Removed the passkey of \(passkey).")
            }
        }
    }
}
