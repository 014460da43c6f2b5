import ArgumentParser

/// The name of a profile, which is a folder's too.
struct ProfileName: ExpressibleByArgument, CustomStringConvertible, Comparable {
    static let standard = ProfileName(known: "default")

    let description: String

    /// - Returns: `nil` for what could not be a folder's name everywhere.
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

    static func < (first: ProfileName, second: ProfileName) -> Bool { first.description < second.description }
}
