import ArgumentParser
import Foundation
import SallyportJOSE

/// Prints a token that can be used now.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Prints the access token of a profile, refreshed if it is about to end.",
        discussion: """
            It is a secret. With --decode, its header and claims are printed instead, and whether the server's keys verify it.
            """
    )

    @Flag(help: "Print what the token says, not the token.")
    var decode = false

    @Flag(help: "The id_token, in place of the access token.")
    var idToken = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, decode, idToken) = (try profile.name(), decode, idToken)
        try await Interruption.cancelling {
            let session = try ProfileSession.load(name)
            let tokens = try await session.tokens()
            guard let token = idToken ? tokens.idToken : tokens.accessToken else {
                throw CommandFailure(.other, "this login brought no id_token; ask for one with --scope openid")
            }
            let text = decode ? try await TokenReport(token, session.client.server).text() : token
            let output = try ResponseOutput(path: nil)
            try await output.write(Data((text + "\n").utf8))
            try await output.finish()
        }
    }
}
