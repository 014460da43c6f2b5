import Sallyport
import SallyportTransport

/// Decides by its name whether a value is a secret that a recording must not contain.
///
/// Logs mask more than necessary. A recording is replayed, so it must keep values such as `token_type` and the number `max_tokens`.
struct SecretPolicy: Sendable {
    private let secretNames: Set<String>
    private let publicNames: Set<String>
    /// Texts that are masked wherever they occur.
    let values: Set<String>

    init(_ options: RecordingOptions) {
        secretNames = Set(options.secretNames.map(Self.normalized))
        publicNames = Set(options.publicNames.map(Self.normalized))
        values = options.secretValues.filter { !$0.isEmpty }
    }

    /// Returns a Boolean value that indicates whether a header field, cookie, query item or form field with a name is a secret.
    func isSecret(_ name: some StringProtocol) -> Bool {
        let normalized = Self.normalized(name)
        if publicNames.contains(normalized) { return false }
        return secretNames.contains(normalized) || SecretNames.contains(name) && !Self.isDescription(normalized)
    }

    /// Returns a Boolean value that indicates whether values with a name are stored, because of the options or because they only describe
    /// a secret.
    func isPublic(_ name: some StringProtocol) -> Bool {
        let normalized = Self.normalized(name)
        return publicNames.contains(normalized) || Self.isDescription(normalized) && !secretNames.contains(normalized)
    }

    /// Returns a Boolean value that indicates whether the string of a JSON member with a name is a secret.
    ///
    /// The names `code` and `key` also occur in error messages and dictionaries, so their values have to look like secrets.
    func isSecret(_ name: String, string: String) -> Bool {
        guard isSecret(name) else { return false }
        let normalized = Self.normalized(name)
        guard Self.ambiguousNames.contains(normalized), !secretNames.contains(normalized) else { return true }
        let digits = string.utf8.count(where: \.isDigit)
        return digits > 0 && string.utf8.count >= (digits == string.utf8.count ? 4 : 16)
    }

    /// Returns a Boolean value that indicates whether the number of a JSON member with a name is a secret, unlike a lifetime or a count.
    func isSecretNumber(_ name: String) -> Bool {
        let normalized = Self.normalized(name)
        if publicNames.contains(normalized) { return false }
        return secretNames.contains(normalized) || Self.namesOfCodes.contains(normalized)
    }

    private static let ambiguousNames: Set<String> = ["code", "key"]

    /// The names of passwords, one-time passwords and similar codes, which JSON may contain as numbers.
    private static let namesOfCodes: Set<String> = [
        "otp", "totp", "pin", "pincode", "userpin", "passcode", "mfacode", "smscode", "verificationcode", "usercode",
        "authcode", "recoverycode", "password", "passwd", "pwd", "pass", "passphrase", "secret", "clientsecret",
    ]

    /// The ends of names that describe a secret, such as `token_endpoint`, `token_type` and `client_secret_expires_at`.
    private static let descriptions = [
        "endpoint", "endpoints", "supported", "uri", "url", "type", "typehint", "types", "alg", "method", "methods",
        "expiresin", "expiresat", "lifetime", "iframe",
    ]

    private static func isDescription(_ normalized: String) -> Bool {
        descriptions.contains { normalized.hasSuffix($0) } || normalized.hasPrefix("accesscontrol")
    }

    /// Returns a name in lower case, without hyphens and underscores.
    static func normalized(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" }
    }
}
