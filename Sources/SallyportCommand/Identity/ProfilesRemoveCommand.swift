import ArgumentParser
import SallyportJourney
import SallyportStorage

/// Removes a profile with everything that is stored in it.
struct ProfilesRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a profile with its settings and everything else that is stored in it.",
        discussion: """
            A profile that is logged in, or that has a registered device, passkeys or other authenticators, is removed only with \
            --force. No server is informed, so tokens then remain valid until they expire, and accounts may need authenticators that \
            no longer exist.

            With SALLYPORT_STORE, --force removes tokens, sessions and authenticators from the database, for all computers that use it.
            """
    )

    @Argument(help: ArgumentHelp("The profile, as shown by sallyport profiles.", valueName: "profile"))
    var name: ProfileName

    @Flag(help: "Remove also a login, a registered device and authenticators, without informing any server.")
    var force = false

    func run() async throws {
        let (name, force) = (name, force)
        try await Interruption.cancelOnSignal {
            let folder = ProfileFolder()
            let parts = try await StoredPart.parts(of: name, in: folder)
            if parts.isEmpty, !folder.hasFolder(of: name) { throw Self.missing(name, in: folder) }
            if let part = parts.first, !force {
                let names = parts.map(\.name).joined(separator: ", ")
                throw CommandFailure(
                    .usage,
                    "the profile \(name) has \(names): run sallyport \(part.end)\(name.option) first, or remove all of it with --force"
                )
            }
            for part in parts { try await part.remove() }
            try folder.removeFolder(of: name)
            let removed = (["settings"] + parts.map(\.name)).joined(separator: ", ")
            StandardError.print("Removed the profile \(name): \(removed). Nothing was sent to a server.")
        }
    }

    private static func missing(_ name: ProfileName, in folder: ProfileFolder) -> CommandFailure {
        let others = Set(folder.names + folder.resourceNames).sorted().map(\.description).joined(separator: ", ")
        let existing = others.isEmpty ? "there are no profiles in \(folder.root.path)" : "existing profiles: \(others)"
        return CommandFailure(.usage, "there is no profile \(name); \(existing)")
    }
}

/// A part of a profile that would be lost with it.
private struct StoredPart {
    let name: String
    /// The command that ends or removes it, without `sallyport`.
    let end: String
    /// Removes it from the database or the folder of the profile.
    let remove: () async throws -> Void

    private init(_ name: String, _ end: String, _ remove: @escaping () async throws -> Void) {
        (self.name, self.end, self.remove) = (name, end, remove)
    }

    /// Returns the parts that a profile has. A part that cannot be read counts as one that it has.
    static func parts(of name: ProfileName, in folder: ProfileFolder) async throws -> [StoredPart] {
        let (tokens, session) = (try folder.store(of: name), try folder.sessionStore(of: name))
        let (passkeys, mechanisms) = (try folder.authenticatorStore(of: name), try folder.mechanismStore(of: name))
        let authenticator = try PasskeyCommand.authenticator(of: name)
        let push = PushClient(store: mechanisms, owner: name.description)
        let passwords = try OneTimePasswordCommand.passwords(of: name)
        let device = try folder.identityStores(of: name).device
        let all: [(hasPart: () async throws -> Bool, part: StoredPart)] = [
            ({ try await tokens.load() != nil }, .init("tokens", "logout", tokens.delete)),
            ({ try await session.load() != nil }, .init("a session", "logout", session.delete)),
            // The store of the device is in the folder.
            ({ try await device.load() != nil }, .init("a registered device", "device reset", {})),
            (
                { try await authenticator.passkeys().count + authenticator.deviceKeys().count > 0 },
                .init("passkeys", "passkey remove --all", passkeys.delete)
            ),
            ({ try await !push.mechanisms().isEmpty }, .init("push mechanisms", "push remove", mechanisms.delete)),
            ({ try await !passwords.accounts().isEmpty }, .init("one-time passwords", "otp remove", mechanisms.delete)),
        ]
        var parts: [StoredPart] = []
        for (hasPart, part) in all where (try? await hasPart()) ?? true { parts.append(part) }
        return parts
    }
}
