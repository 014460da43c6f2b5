import ArgumentParser
import Foundation

/// The name of a profile, which is also the name of its folder.
struct ProfileName: ExpressibleByArgument, CustomStringConvertible, Comparable, Hashable {
    static let standard = ProfileName(known: "default")

    let description: String

    /// Creates a name from 1 to 64 ASCII letters, digits, `-`, `_` and `.`, beginning with a letter or digit. Returns `nil` for
    /// any other text. The name is therefore a valid folder name on Linux and macOS.
    init?(argument: String) {
        guard (1...64).contains(argument.utf8.count),
            argument.first?.isLetter == true || argument.first?.isNumber == true,
            argument.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            })
        else { return nil }
        description = argument
    }

    private init(known: String) { description = known }

    /// The names of the profiles of the user, when a shell completes an option.
    static var defaultCompletionKind: CompletionKind {
        .custom { _, _, _ in
            let folder = ProfileFolder()
            return Set(folder.names + folder.resourceNames).sorted().map(\.description)
        }
    }

    /// The option that selects the profile, with a space before it; empty for the default profile.
    var option: String { self == .standard ? "" : " --profile \(self)" }

    static func < (first: ProfileName, second: ProfileName) -> Bool { first.description < second.description }
}

/// The option for the profile that a command uses.
struct ProfileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The profile, with its own server, client and tokens. (default: the value of SALLYPORT_PROFILE, or default)",
            valueName: "name"
        )
    )
    var profile: ProfileName?

    /// Returns the profile from the option or the environment, or the default profile.
    func name() throws(CommandFailure) -> ProfileName { try ProfileName.chosen(profile) }
}

extension ProfileName {
    /// Returns the given name, or else the name in `SALLYPORT_PROFILE`, or else the default name.
    static func chosen(_ name: ProfileName?) throws(CommandFailure) -> ProfileName {
        if let name { return name }
        guard let text = ProcessInfo.processInfo.environment["SALLYPORT_PROFILE"], !text.isEmpty else {
            return .standard
        }
        guard let name = ProfileName(argument: text) else {
            throw CommandFailure(
                .usage,
                "SALLYPORT_PROFILE is not a valid profile name: use letters, digits, and - _ . only"
            )
        }
        return name
    }
}
