import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage

/// The folder of all profiles. Each profile has its own folder, which only its owner can read.
struct ProfileFolder {
    /// The URL of the folder.
    let root: URL

    private static let maximumSize = 1 << 20

    /// Finds the folder: `SALLYPORT_HOME`, or a folder in XDG's directory for configuration.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let home = environment["SALLYPORT_HOME"], !home.isEmpty {
            root = URL(fileURLWithPath: home, isDirectory: true)
        } else {
            root = UserFolders.sallyport(in: "XDG_CONFIG_HOME", else: ".config", environment)
        }
    }

    private func settings(of name: ProfileName) -> URL { file("profile.json", of: name) }

    /// Returns a file in the folder of a profile.
    func file(_ file: String, of name: ProfileName) -> URL { folder(of: name).appendingPathComponent(file) }

    private func folder(of name: ProfileName) -> URL {
        root.appendingPathComponent(name.description, isDirectory: true)
    }

    /// Returns a Boolean value that indicates whether a profile has a folder.
    func hasFolder(of name: ProfileName) -> Bool { FileManager.default.fileExists(atPath: folder(of: name).path) }

    /// Removes the folder of a profile with all its files, if it exists.
    func removeFolder(of name: ProfileName) throws(CommandFailure) {
        guard hasFolder(of: name) else { return }
        do {
            try FileManager.default.removeItem(at: folder(of: name))
        } catch {
            throw WriteFailure.of("the folder", folder(of: name).path, error, attempt: "cannot be removed")
        }
    }

    /// The names of all profiles with a login, sorted.
    var names: [ProfileName] { names(with: "profile.json") }

    /// The names of all profiles with settings for resource calls, sorted.
    var resourceNames: [ProfileName] { names(with: "resource.json") }

    private func names(with file: String) -> [ProfileName] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return entries.compactMap(ProfileName.init).filter { name in
            FileManager.default.fileExists(atPath: self.file(file, of: name).path)
        }.sorted()
    }

    /// Reads the settings of a profile. Refuses a file that others may change, because they could redirect the tokens.
    ///
    /// - Throws: A failure with the command that creates the profile, or with the problem of its file.
    func load(_ name: ProfileName) throws(CommandFailure) -> Profile {
        if let profile: Profile = try read(settings(of: name)) { return profile }
        throw try loadSuspended(name) == nil ? missing(name) : Self.suspendedFailure(name)
    }

    /// Returns the settings in a file; `nil` if it does not exist.
    func read<Settings: Decodable>(
        _ file: URL,
        recovery: String = "log in again to replace it"
    ) throws(CommandFailure) -> Settings? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let data: Data?
        do throws(RecordStoreError) {
            data = try PrivateDirectory.contents(of: file, upTo: Self.maximumSize)
        } catch {
            throw CommandFailure(.unreadableInput, error.description)
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let settings = data.flatMap({ try? decoder.decode(Settings.self, from: $0) }) else {
            throw CommandFailure(.unreadableInput, "the profile in \(file.path) cannot be read; \(recovery)")
        }
        return settings
    }

    /// Replaces the settings of a profile atomically. Only their owner can read them, because they may contain a client
    /// secret.
    func save(_ profile: Profile, as name: ProfileName) throws(CommandFailure) {
        try write(profile, to: settings(of: name))
        unlink(suspended(of: name).path)
    }

    /// Replaces the settings in a file atomically. Only their owner can read them.
    func write(_ settings: some Encodable, to file: URL) throws(CommandFailure) {
        try PrivateDirectory.make(file.deletingLastPathComponent())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        do {
            try PrivateFile.replace(file, with: try encoder.encode(settings))
        } catch {
            throw WriteFailure.of("the profile in", file.path, error)
        }
    }

    // MARK: Suspended logins

    private func suspended(of name: ProfileName) -> URL { file("suspended.json", of: name) }

    /// Returns the settings of a login that waits for the user to open a link; `nil` if there is none.
    func loadSuspended(_ name: ProfileName) throws(CommandFailure) -> Profile? { try read(suspended(of: name)) }

    /// Stores the settings of a login that waits for the user to open a link. The profile is unchanged until the login is complete.
    func saveSuspended(_ profile: Profile, as name: ProfileName) throws(CommandFailure) {
        try write(profile, to: suspended(of: name))
    }

    /// Removes the settings of a login that waits for the user to open a link.
    ///
    /// - Returns: A Boolean value that indicates whether there was such a login.
    func discardSuspended(_ name: ProfileName) -> Bool { unlink(suspended(of: name).path) == 0 }

    /// Returns the failure for a profile whose first login is suspended.
    static func suspendedFailure(_ name: ProfileName) -> CommandFailure {
        CommandFailure(
            .loginDenied,
            "the first login of the profile \(name) is suspended: continue it with sallyport login --resume 'LINK'\(name.option), "
                + "or discard it with sallyport logout --local\(name.option)"
        )
    }

    private func missing(_ name: ProfileName) -> CommandFailure {
        let others = names.map(\.description).joined(separator: ", ")
        return CommandFailure(
            .loginDenied,
            "there is no profile \(name): create it with sallyport login\(name.option) --issuer … --client-id …, or "
                + "--journey … --server … for an authentication tree"
                + (others.isEmpty ? "" : "; existing profiles: \(others)")
        )
    }
}
