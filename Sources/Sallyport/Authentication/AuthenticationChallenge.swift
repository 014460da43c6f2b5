import SallyportTransport

/// A challenge of a `WWW-Authenticate` header field (RFC 9110, section 11.6.1).
package struct AuthenticationChallenge: Equatable {
    private static let maximumCount = 16
    private static let maximumSize = 16 << 10

    /// The authentication scheme in lower case, such as `digest`.
    package let scheme: String
    /// The values of the parameters by name, the names in lower case.
    package let parameters: [String: String]

    /// `true` if the user must authenticate again, with a stronger method or because too much time has passed (RFC 9470, section 3).
    package var demandsAuthentication: Bool {
        ["bearer", "dpop"].contains(scheme) && parameters["error"] == "insufficient_user_authentication"
    }

    /// A Boolean value that indicates whether the server accepts the token, but demands a further authentication of the user first: by RFC
    /// 9470, or by an advice of PingAM. Refreshed tokens would not meet this demand.
    package var demandsStepUp: Bool { demandsAuthentication || scheme == "ssoadvice" }

    /// Returns the challenges of all `WWW-Authenticate` fields of a response, in order.
    ///
    /// A challenge that contains a parameter twice is omitted. The rest of a field is ignored after a syntax error. At most 16 KiB
    /// of fields and 16 challenges are read.
    ///
    /// - Parameter fields: The values of the fields.
    package static func all(in fields: [String]) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var bytesLeft = maximumSize
        for field in fields {
            bytesLeft -= field.utf8.count
            if bytesLeft < 0 { break }
            var scanner = AuthenticationScanner(field)
            scanner.skipCommas()
            while challenges.count < maximumCount, let scheme = scanner.token()?.lowercased() {
                var parameters: [String: String]? = [:]
                if scanner.skipBlanks(), !scanner.skipToken68() { parameters = scanner.parameters() }
                if let parameters { challenges.append(AuthenticationChallenge(scheme: scheme, parameters: parameters)) }
                scanner.skipBlanks()
                guard scanner.skipCommas() else { break }
            }
        }
        return challenges
    }

    /// Returns the parameters of an `Authentication-Info` field (RFC 9110, section 11.6.3) by name in lower case; an empty dictionary if
    /// the field is longer than 16 KiB or contains a parameter twice.
    static func parameters(inInfo field: String) -> [String: String] {
        if field.utf8.count > maximumSize { return [:] }
        var scanner = AuthenticationScanner(field)
        return scanner.parameters() ?? [:]
    }
}

/// Reads the elements of an authentication header field (RFC 9110, section 11) one after the other.
private struct AuthenticationScanner {
    private static let maximumParameters = 32

    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    /// Skips spaces and tabs, and returns a Boolean value that indicates whether there were any.
    @discardableResult
    mutating func skipBlanks() -> Bool {
        !take { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.isEmpty
    }

    /// Skips commas and the blanks around them, and returns a Boolean value that indicates whether there was a comma.
    @discardableResult
    mutating func skipCommas() -> Bool {
        take { ", \t".utf8.contains($0) }.contains(UInt8(ascii: ","))
    }

    /// Reads a token; returns `nil` if there is none.
    mutating func token() -> String? {
        let bytes = take { $0.isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Skips a token68, such as `dGhlIGVuZA==`, that is followed by a comma or the end. Returns `false` if there is none.
    mutating func skipToken68() -> Bool {
        let start = rest
        let characters = take { $0.isAlphanumeric || "-._~+/".utf8.contains($0) }
        take { $0 == UInt8(ascii: "=") }
        skipBlanks()
        if !characters.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ",") { return true }
        rest = start
        return false
    }

    /// Reads all parameters up to the next scheme or the end; returns `nil` if one occurs twice or there are too many.
    mutating func parameters() -> [String: String]? {
        var parameters: [String: String] = [:]
        var isAmbiguous = false
        var end = self
        while let (name, value) = end.parameter() {
            if parameters.count == Self.maximumParameters || parameters.updateValue(value, forKey: name) != nil {
                isAmbiguous = true
            }
            self = end
            guard end.skipCommas() else { break }
        }
        return isAmbiguous ? nil : parameters
    }

    /// Reads a name, which is returned in lower case, and its value, a token or a quoted string. Returns `nil` and reads nothing if the
    /// next element is not a parameter.
    private mutating func parameter() -> (name: String, value: String)? {
        let start = rest
        if let name = token()?.lowercased() {
            skipBlanks()
            if skip("=") {
                skipBlanks()
                if let value = token() ?? emptyValue() ?? quotedString() { return (name, value) }
            }
        }
        rest = start
        return nil
    }

    /// Returns an empty text before a comma or the end: some servers send `qop=` without a value.
    private func emptyValue() -> String? { rest.isEmpty || rest.first == UInt8(ascii: ",") ? "" : nil }

    private mutating func quotedString() -> String? {
        guard skip("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            bytes.append(escaped)
        }
        return nil
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    @discardableResult
    private mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isWanted)
        rest = rest[taken.endIndex...]
        return taken
    }
}
