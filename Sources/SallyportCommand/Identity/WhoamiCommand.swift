import ArgumentParser
import SallyportJOSE

/// Tells who has signed in.
struct WhoamiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Prints what the server knows of who has signed in, as JSON."
    )

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let name = try profile.name()
        try await Interruption.cancelling {
            let session = try ProfileSession.load(name)
            let tokens = try await session.tokens()
            print(try TokenText.json(try await session.client.userInfo(tokens).claims))
        }
    }
}
