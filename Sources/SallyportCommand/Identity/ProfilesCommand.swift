import ArgumentParser
import Foundation
import Sallyport
import SallyportOAuth

/// Lists the profiles.
struct ProfilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "Lists the profiles with the client or app, the server, and the state of the login or device."
    )

    func run() async throws {
        let folder = ProfileFolder()
        let (names, resourceNames) = (folder.names, folder.resourceNames)
        if names.isEmpty, resourceNames.isEmpty {
            StandardError.print("There is no profile in \(folder.root.path). Create one with: sallyport login")
        }
        for name in names {
            do {
                let profile = try folder.load(name)
                let state = await Self.state(name, profile, in: folder)
                print(VisibleText.line("\(name)  \(profile.clientID) at \(profile.issuer)  \(state)"))
            } catch {
                print("\(name)  not readable: \(error.message)")
            }
        }
        for name in resourceNames {
            do {
                guard let settings = try folder.loadResourceSettings(name) else { continue }
                let registration = try await settings.localIdentity(of: name).registration()
                let state = registration.map { "device \($0.clientID)" } ?? "device not registered"
                let model = settings.model
                print(VisibleText.line("\(name)  \(model.appIdentifier) at \(model.baseURL)  \(state)"))
            } catch {
                let reason = (error as? any ReportableError)?.commandFailure.message ?? "\(error)"
                print("\(name)  not readable: \(reason)")
            }
        }
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
