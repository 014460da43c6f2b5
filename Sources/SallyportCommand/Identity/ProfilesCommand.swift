import ArgumentParser
import Foundation
import Sallyport
import SallyportOAuth

/// Lists and removes profiles.
struct ProfilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "Lists or removes profiles.",
        subcommands: [ProfilesListCommand.self, ProfilesRemoveCommand.self],
        defaultSubcommand: ProfilesListCommand.self
    )
}

struct ProfilesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the profiles with the client or app, the server, and the state of the login or device."
    )

    @Flag(help: "Print a JSON array with an object for each profile.")
    var json = false

    func run() async throws {
        let folder = ProfileFolder()
        let (names, resourceNames) = (folder.names, folder.resourceNames)
        var profiles: [ListedProfile] = []
        for name in names {
            do {
                let profile = try folder.load(name)
                let state = await Self.state(name, profile, in: folder)
                profiles.append(
                    ListedProfile(
                        name: "\(name)",
                        kind: .login,
                        client: profile.clientID,
                        server: profile.issuer,
                        state: state
                    )
                )
            } catch {
                profiles.append(ListedProfile(name: "\(name)", kind: .login, problem: error.message))
            }
        }
        for name in resourceNames {
            do {
                guard let settings = try folder.loadResourceSettings(name) else { continue }
                let registration = try await settings.localIdentity(of: name).registration()
                let state = registration.map { "device \($0.clientID)" } ?? "device not registered"
                profiles.append(
                    ListedProfile(
                        name: "\(name)",
                        kind: .device,
                        client: settings.model.appIdentifier,
                        server: settings.model.baseURL,
                        state: state
                    )
                )
            } catch {
                let reason = (error as? any ReportableError)?.commandFailure.message ?? "\(error)"
                profiles.append(ListedProfile(name: "\(name)", kind: .device, problem: reason))
            }
        }
        if json { return print(try JsonText.indented(profiles)) }
        if names.isEmpty, resourceNames.isEmpty {
            StandardError.print("There is no profile in \(folder.root.path). Create one with: sallyport login")
        }
        for profile in profiles { print(profile.line) }
    }

    private static func state(_ name: ProfileName, _ profile: Profile, in folder: ProfileFolder) async -> String {
        do {
            guard let record = try await folder.store(of: name).load() else {
                let session = profile.flow == .journey ? try await folder.sessionStore(of: name).load() : nil
                return session == nil ? "logged out" : "logged in, without tokens"
            }
            guard record.client == profile.identity else { return "not usable: the tokens belong to \(record.client)" }
            let tokens = record.tokens
            if tokens.refreshToken != nil { return "logged in" }
            guard let end = tokens.expiresAt else { return "logged in" }
            return end > Date() ? "logged in until \(end.formatted(.iso8601))" : "ended \(end.formatted(.iso8601))"
        } catch {
            return "not readable: \(error)"
        }
    }
}

/// A profile as `profiles` shows it.
private struct ListedProfile: Encodable {
    enum Kind: String, Encodable {
        case login, device
    }

    let name: String
    let kind: Kind
    /// The identifier of the client or app.
    var client: String?
    var server: String?
    var state: String?
    /// The reason why the profile cannot be read.
    var problem: String?

    var line: String {
        if let problem { return VisibleText.lines("\(name)  not readable: \(problem)") }
        return VisibleText.line("\(name)  \(client ?? "") at \(server ?? "")  \(state ?? "")")
    }
}
