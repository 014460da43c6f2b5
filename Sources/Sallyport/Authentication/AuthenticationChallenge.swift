/// One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1).
package struct AuthenticationChallenge: Equatable {
    /// In lower case, such as `digest`.
    package let scheme: String
    /// The names in lower case.
    package let parameters: [String: String]

    /// The challenges of all the fields of a response, in order.
    ///
    /// One that has a parameter twice is left out, and what follows a mistake is not read. Fields that are longer than
    /// 16 KiB together are cut there, and challenges end at the sixteenth.
    package static func all(in fields: [String]) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var bytesLeft = 16_384
        for field in fields {
            bytesLeft -= field.utf8.count
            if bytesLeft < 0 { break }
            var scanner = AuthenticationScanner(field)
            scanner.skipCommas()
            while challenges.count < 16, let scheme = scanner.token()?.lowercased() {
                var parameters: [String: String]? = [:]
                if scanner.skipBlanks(), !scanner.skipToken68() { parameters = scanner.parameters() }
                if let parameters { challenges.append(AuthenticationChallenge(scheme: scheme, parameters: parameters)) }
                scanner.skipBlanks()
                guard scanner.skipCommas() else { break }
            }
        }
        return challenges
    }
}
