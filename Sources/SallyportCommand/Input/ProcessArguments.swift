import Foundation

/// The arguments of this process as other users see them, for example in `ps`.
enum ProcessArguments {
    /// The options whose values contain secrets, with the character after which the secret begins.
    private static let secretOptions: [String: Character] = [
        "-u": ":", "--user": ":", "-H": ":", "--header": ":", "-b": "=", "--cookie": "=", "-d": "=", "--data": "=",
        "--data-raw": "=", "--data-binary": "=", "--data-urlencode": "=", "--answer": "=", "--resume": "?",
        "-F": "=", "--form": "=", "--part": "=", "--field": "=", "-q": "=", "--query": "=", "--parameter": "=",
        "--json": ":",
    ]

    /// The short options with secrets whose value may follow in the same argument, as in `-bname=value`.
    private static let joinedOptions = ["-b", "-d", "-u", "-H", "-F", "-q"]

    /// The beginnings of URIs that contain the secret of a device.
    private static let secretSchemes = ["pushauth://", "mfauth://", "otpauth://"]

    /// Overwrites the secrets in the arguments. Until then, other users can see them, so call it as early as possible.
    static func hideSecrets() {
        let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).map { $0 }
        var option: String?
        for argument in arguments {
            guard let argument, let text = String(validatingCString: argument) else { continue }
            for range in secrets(in: text, after: option) { memset(argument + range.lowerBound, 0x2A, range.count) }
            option = text
        }
    }

    /// Returns the character after which the secret of an option begins; `nil` for options without secrets.
    ///
    /// In a group of short options, such as `-iu`, the last one takes the value.
    private static func separator(of option: some StringProtocol) -> Character? {
        let isGroup = option.hasPrefix("-") && !option.hasPrefix("--")
        return secretOptions[isGroup ? "-\(option.suffix(1))" : String(option)]
    }

    /// Returns the ranges of the secrets in an argument, as byte offsets: users and passwords in URLs, URIs that register a device,
    /// and the values of options for secrets.
    ///
    /// - Parameter option: The previous argument.
    static func secrets(in argument: String, after option: String?) -> [Range<Int>] {
        var value = argument[...]
        var separator = option.flatMap { Self.separator(of: $0) }
        if separator == nil, let joined = joinedOptions.first(where: { argument.hasPrefix($0) }) {
            separator = Self.separator(of: joined)
            value = argument.dropFirst(2)
        }
        if separator == nil, let equals = argument.firstIndex(of: "="),
            let own = Self.separator(of: argument[..<equals])
        {
            separator = own
            value = argument[argument.index(after: equals)...]
        }
        var ranges: [Range<String.Index>] = []
        if let separator, let start = value.firstIndex(of: separator) {
            ranges.append(value.index(after: start)..<value.endIndex)
        }
        if let scheme = secretSchemes.first(where: { value.lowercased().hasPrefix($0) }) {
            ranges.append(value.index(value.startIndex, offsetBy: scheme.count)..<value.endIndex)
        } else if let mark = value.firstRange(of: "://") {
            let end = value[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? value.endIndex
            if let at = value[mark.upperBound..<end].lastIndex(of: "@") { ranges.append(mark.upperBound..<at) }
        }
        return ranges.map {
            argument.utf8.distance(
                from: argument.startIndex,
                to: $0.lowerBound
            )..<argument.utf8.distance(from: argument.startIndex, to: $0.upperBound)
        }
    }
}
