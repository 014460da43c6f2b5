import ArgumentParser
import Foundation

/// Brings new tokens, though those there may still be good.
struct RefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Refreshes the tokens of a profile now. Nobody has to: calls do it when it is time."
    )

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let name = try profile.name()
        try await Interruption.cancelling {
            let tokens = try await ProfileSession.load(name).refreshedTokens()
            let end = tokens.expiresAt.map { ", good until \($0.formatted(.iso8601))" } ?? ""
            StandardError.print("The profile \(name) has new tokens\(end).")
        }
    }
}
