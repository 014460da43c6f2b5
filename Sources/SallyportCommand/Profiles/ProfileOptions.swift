import ArgumentParser
import Foundation

/// Which profile a command is about.
struct ProfileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The profile, each with a server, a client and tokens of its own. (default: SALLYPORT_PROFILE, else default)",
            valueName: "name"
        )
    )
    var profile: ProfileName?

    /// The one that was named, here or in the environment.
    func name() throws(CommandFailure) -> ProfileName { try ProfileName.chosen(profile) }
}

extension ProfileName {
    /// A name that was given, else the environment's, else the standard one.
    static func chosen(_ name: ProfileName?) throws(CommandFailure) -> ProfileName {
        if let name { return name }
        guard let text = ProcessInfo.processInfo.environment["SALLYPORT_PROFILE"], !text.isEmpty else {
            return .standard
        }
        guard let name = ProfileName(argument: text) else {
            throw CommandFailure(
                .usage,
                "SALLYPORT_PROFILE is not a profile's name: use letters, digits, and - _ . in it"
            )
        }
        return name
    }
}
