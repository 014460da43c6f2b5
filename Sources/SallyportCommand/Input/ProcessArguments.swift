import Foundation

/// The arguments of this process as other users see them, for example in `ps`.
enum ProcessArguments {
    /// The place of the secret in the value of an option.
    private enum Place {
        /// The text after the first occurrence of a character.
        case after(Character)
        /// The text after a colon, or all of it without one.
        case header
        /// The text after a name and an equals sign, or all of it without a name. The name of a file is no secret.
        case body
        /// The user, the password, the query and the fragment of a URL.
        case url
    }

    /// The options whose values contain secrets.
    private static let places: [String: Place] = [
        "-u": .after(":"), "--user": .after(":"), "-H": .header, "--header": .header, "-b": .after("="),
        "--cookie": .after("="), "-F": .after("="), "--form": .after("="), "--field": .after("="),
        "--query": .after("="), "--parameter": .after("="), "--answer": .after("="), "-d": .body, "--data": .body,
        "--data-raw": .body, "--data-binary": .body, "--data-urlencode": .body, "--json": .body, "--body": .body,
        "-e": .url, "--referer": .url, "--resume": .url, "--proxy": .url, "--cert": .after(":"),
    ]

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

    /// Returns `true` if the value of an option can contain a secret, so that no error may quote it.
    static func isSecret(valueOf option: String) -> Bool { places[option] != nil }

    /// Returns an option for a secret in an argument, and the value in the same argument.
    ///
    /// Of several short options, such as `-iu`, it is the first one that could have a secret. Its letter may belong to the value of another
    /// option, as in `-ofile`.
    private static func option(in argument: String) -> (place: Place, value: Substring)? {
        let letter = argument.indices.dropFirst().first { places["-\(argument[$0])"] != nil }
        let isLong = argument.hasPrefix("--")
        guard argument.hasPrefix("-"), let end = isLong ? argument.firstIndex(of: "=") : letter else { return nil }
        let name = isLong ? String(argument[..<end]) : "-\(argument[end])"
        return places[name].map { ($0, argument[end...].dropFirst()) }
    }

    /// Returns the ranges of the secrets in an argument, as byte offsets: users, passwords and queries in URLs, URIs that register a
    /// device, and the values of options for secrets.
    ///
    /// - Parameter option: The previous argument.
    static func secrets(in argument: String, after option: String?) -> [Range<Int>] {
        let previous = option.flatMap { option in
            places[option] ?? Self.option(in: option).flatMap { $0.value.isEmpty ? $0.place : nil }
        }
        // The previous argument may only resemble an option, as the value `-ojob` does, so both readings count.
        var found = secrets(inURL: argument[...])
        if let previous { found += secrets(in: argument[...], at: previous) }
        if let own = Self.option(in: argument) {
            found += secrets(in: own.value, at: own.place) + secrets(inURL: own.value)
        }
        return found.filter { !$0.isEmpty }.map {
            argument.utf8.distance(
                from: argument.startIndex,
                to: $0.lowerBound
            )..<argument.utf8.distance(from: argument.startIndex, to: $0.upperBound)
        }
    }

    private static func secrets(in value: Substring, at place: Place) -> [Range<String.Index>] {
        func text(after index: String.Index?) -> [Range<String.Index>] {
            index.map { [value.index(after: $0)..<value.endIndex] } ?? []
        }
        switch place {
        case .url: return secrets(inURL: value)
        case .after(let character): return text(after: value.firstIndex(of: character))
        case .header, .body:
            if value.hasPrefix("@") { return [] }
            if case .header = place, let colon = value.firstIndex(of: ":") { return text(after: colon) }
            let name = value.prefix { $0.isLetter || $0.isNumber || "_-.[]".contains($0) }
            if case .body = place, !name.isEmpty, value[name.endIndex...].hasPrefix("=") {
                return text(after: name.endIndex)
            }
            return [value.startIndex..<value.endIndex]
        }
    }

    private static func secrets(inURL value: Substring) -> [Range<String.Index>] {
        if let scheme = secretSchemes.first(where: { value.lowercased().hasPrefix($0) }) {
            return [value.index(value.startIndex, offsetBy: scheme.count)..<value.endIndex]
        }
        var ranges: [Range<String.Index>] = []
        let start = value.firstRange(of: "://")?.upperBound ?? value.startIndex
        let authority = value[start...].prefix { !"/?#".contains($0) }
        // Without a scheme, only a password shows that the text before the host is a user.
        if let at = authority.lastIndex(of: "@"), start > value.startIndex || authority[..<at].contains(":") {
            ranges.append(start..<at)
        }
        if let end = value[start...].firstIndex(where: { "?#".contains($0) }),
            start > value.startIndex || value[..<end].contains(where: { ":/".contains($0) })
        {
            ranges.append(value.index(after: end)..<value.endIndex)
        }
        return ranges
    }
}
