/// Decides by its name whether a value is a secret.
///
/// A name that only describes a secret, such as `token_type`, `max_tokens` or `password_policy`, is not the name of one.
package struct SecretPolicy: Sendable {
    /// The policy with the names of usual secrets.
    package static let standard = SecretPolicy()

    private let secretNames: Set<[UInt8]>
    private let publicNames: Set<[UInt8]>
    /// Texts that are masked wherever they occur.
    package let values: Set<String>

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - secretNames: The names of further secrets. Case, hyphens and underscores are ignored.
    ///   - publicNames: Names that usually belong to secrets. Their values are shown nevertheless.
    ///   - values: Texts that are masked wherever they occur.
    package init(secretNames: Set<String> = [], publicNames: Set<String> = [], values: Set<String> = []) {
        self.secretNames = Set(secretNames.map { SecretNames.letters(of: $0.utf8) })
        self.publicNames = Set(publicNames.map { SecretNames.letters(of: $0.utf8) })
        self.values = values.filter { !$0.isEmpty }
    }

    /// Returns a Boolean value that indicates whether a header field, cookie, query item or form field with a name is a secret.
    package func isSecret(_ name: some StringProtocol) -> Bool { isSecret(name.utf8) }

    func isSecret(_ name: some Sequence<UInt8>) -> Bool { isSecret(letters: SecretNames.letters(of: name)) }

    private func isSecret(letters: [UInt8]) -> Bool {
        if publicNames.contains(letters) { return false }
        return secretNames.contains(letters) || SecretNames.contains(letters: letters)
    }

    /// Returns a Boolean value that indicates whether values with a name are shown, because the policy or the name says so.
    package func isPublic(_ name: some StringProtocol) -> Bool {
        let letters = SecretNames.letters(of: name.utf8)
        return publicNames.contains(letters) || SecretNames.isDescription(letters) && !secretNames.contains(letters)
    }

    /// Returns a Boolean value that indicates whether a text with a name is a secret.
    ///
    /// The names `code` and `key` also occur in error messages and dictionaries, so their values must look like secrets. Short numbers
    /// are usually lifetimes and counts.
    func isSecret(_ name: some Sequence<UInt8>, value: some Collection<UInt8>) -> Bool {
        let letters = SecretNames.letters(of: name)
        guard isSecret(letters: letters) else { return false }
        if secretNames.contains(letters) { return true }
        let digits = value.count(where: \.isDigit)
        if SecretNames.isAmbiguous(letters) { return digits > 0 && value.count >= (digits == value.count ? 4 : 16) }
        return digits < value.count || digits == 0 || SecretNames.isNumber(letters, digits: digits)
    }

    /// Returns a Boolean value that indicates whether a text with a name is a secret.
    package func isSecret(_ name: String, value: String) -> Bool { isSecret(name.utf8, value: value.utf8) }

    /// Returns a Boolean value that indicates whether a number or literal of JSON with a name is a secret.
    package func isSecretNumber(_ name: String, _ number: String) -> Bool { isSecretNumber(name.utf8, number.utf8) }

    /// Returns a Boolean value that indicates whether a number with a name is a secret, unlike a lifetime, a count or a status.
    func isSecretNumber(_ name: some Sequence<UInt8>, _ number: some Collection<UInt8>) -> Bool {
        let letters = SecretNames.letters(of: name)
        guard isSecret(letters: letters) else { return false }
        let digits = number.count(where: \.isDigit)
        if secretNames.contains(letters) { return true }
        if SecretNames.isAmbiguous(letters) { return letters == Array("code".utf8) && digits >= 6 }
        return SecretNames.isNumber(letters, digits: digits)
    }

    /// Returns a Boolean value that indicates whether a text is a single word, and the name of a secret.
    func isSecretWord(_ text: some Collection<UInt8>) -> Bool {
        text.allSatisfy(SecretNames.wordBytes.contains) && isSecret(text)
    }
}

/// The names of headers, parameters, cookies and JSON members with secret values.
package enum SecretNames {
    /// Returns a Boolean value that indicates whether the value of a header, parameter or JSON member is treated as a secret.
    package static func contains(_ name: some StringProtocol) -> Bool { contains(letters: letters(of: name.utf8)) }

    /// Returns a Boolean value that indicates whether a text is a single word, and the name of a secret.
    package static func containsWord(_ text: String) -> Bool { SecretPolicy.standard.isSecretWord(text.utf8) }

    static let wordBytes = ASCIISet.letters.union(.digits).union(ASCIISet("-_.[]$"))

    private static let separators = ASCIISet("-_. []$@:")

    /// Returns a name in lower case, without hyphens, underscores and similar characters.
    static func letters(of name: some Sequence<UInt8>) -> [UInt8] {
        var letters: [UInt8] = []
        for byte in name where !separators.contains(byte) { letters.append(byte.isUppercase ? byte | 0x20 : byte) }
        return letters
    }

    static func contains(letters: [UInt8]) -> Bool {
        if names.contains(letters) { return true }
        if isDescription(letters) { return false }
        let rest = publicParts.occur(in: letters) ? publicParts.removed(from: letters) : letters
        return parts.occur(in: rest) || ends.begin(rest) || ends.end(rest)
    }

    /// Returns a Boolean value that indicates whether a name describes a secret, as `token_endpoint`, `token_type` and
    /// `client_secret_expires_at` do.
    static func isDescription(_ letters: [UInt8]) -> Bool {
        if corsPrefix.begin(letters) { return true }
        if letters.last == UInt8(ascii: "s"), letters.starts(with: "max".utf8) { return true }
        // The link of an email that resets a password is a secret itself.
        if links.end(letters) { return !mailedLinks.occur(in: letters) }
        return descriptions.end(letters)
    }

    /// Returns `true` if a name is also used for statuses and for entries in dictionaries.
    static func isAmbiguous(_ letters: [UInt8]) -> Bool { ambiguousNames.contains(letters) }

    /// Returns a Boolean value that indicates whether a number with the name of a secret is one.
    static func isNumber(_ letters: [UInt8], digits: Int) -> Bool {
        if letters.last == UInt8(ascii: "s"), !letters.ends(with: "pass") { return false }
        return digits >= 4 || namesOfShortNumbers.contains(letters)
    }

    private static func set(_ names: String) -> Set<[UInt8]> { Set(names.split(separator: " ").map { Array($0.utf8) }) }

    private static let ambiguousNames = set("code key")

    /// The names of secrets that may be numbers with fewer than four digits.
    private static let namesOfShortNumbers = set(
        "pin otp totp cvv cvv2 cvc csc password passwd pwd pw pass passcode secret"
    )

    /// The complete names of secrets.
    private static let names = set(
        """
        code otp totp hotp pin pass pwd pw auth jwt key sig authid xauth dpop mfacode usercode devicecode samlresponse samlart \
        wresult iplanetdirectorypro authenticationinfo proxyauthenticationinfo suspendedid sid xsid connectsid phpsessid ticket \
        xticket serviceticket cvv cvv2 cvc csc hmac xhmac bearer creds mnemonic seedphrase xforwardedclientcert
        """
    )

    /// Parts that mark a secret: every name that contains one of them is the name of a secret.
    private static let parts = NameParts(
        """
        token secret password passwd passphrase passcode apikey accesskey privatekey privkey authkey masterkey subscriptionkey \
        functionskey applicationkey encryptionkey signingkey sharedkey accountkey hmackey pincode userpin authcode authorizationcode \
        smscode verificationcode recoverycode backupcode securitycode assertion verifier credential signature cookie session sessid \
        authorization csrf xsrf securityanswer
        """
    )

    /// Short parts that mark a secret at the beginning or the end of a name. Elsewhere they belong to other words, as in `footprint`.
    private static let ends = NameParts("otp pwd jwt")

    /// Words and names that contain one of ``parts`` although their values are not secrets.
    private static let publicParts = NameParts(
        """
        secretary secretari tokeniz tokenis possession obsession passwordless pagetoken pagingtoken paginationtoken \
        continuationtoken nexttoken startingtoken authorizationdetail
        """
    )

    private static let corsPrefix = NameParts("accesscontrol")
    private static let links = NameParts("uri url uris urls iframe")
    private static let mailedLinks = NameParts("reset verif magic")

    /// The ends of names that describe a secret.
    private static let descriptions = NameParts(
        """
        endpoint endpoints supported type typehint types alg algs algorithm algorithms method methods expiresin expiresat expires \
        expiry expiration lifetime timeout ttl policy policies length count enabled disabled required status format usage strategy \
        strength createdat updatedat issuedat
        """
    )
}

/// Parts of names. A search compares only the parts with the same first or last byte, because every name in a text is searched.
private struct NameParts: Sendable {
    private var byFirstByte: [[[UInt8]]] = Array(repeating: [], count: 256)
    private var byLastByte: [[[UInt8]]] = Array(repeating: [], count: 256)

    init(_ parts: String) {
        for part in parts.split(separator: " ").map({ Array($0.utf8) }) {
            byFirstByte[Int(part[0])].append(part)
            byLastByte[Int(part[part.count - 1])].append(part)
        }
    }

    func begin(_ name: [UInt8]) -> Bool { !name.isEmpty && length(at: 0, in: name) != nil }

    func end(_ name: [UInt8]) -> Bool {
        guard let last = name.last else { return false }
        for part in byLastByte[Int(last)] where Self.matches(name, part, at: name.count - part.count) { return true }
        return false
    }

    func occur(in name: [UInt8]) -> Bool {
        var index = 0
        while index < name.count {
            if length(at: index, in: name) != nil { return true }
            index += 1
        }
        return false
    }

    /// Returns a name with each part replaced by a byte that no name contains.
    func removed(from name: [UInt8]) -> [UInt8] {
        var rest: [UInt8] = []
        var index = 0
        while index < name.count {
            let length = length(at: index, in: name)
            rest.append(length == nil ? name[index] : 0)
            index += length ?? 1
        }
        return rest
    }

    private func length(at index: Int, in name: [UInt8]) -> Int? {
        for part in byFirstByte[Int(name[index])] where Self.matches(name, part, at: index) { return part.count }
        return nil
    }

    private static func matches(_ name: [UInt8], _ part: [UInt8], at start: Int) -> Bool {
        guard start >= 0, start + part.count <= name.count else { return false }
        var index = 0
        while index < part.count {
            if name[start + index] != part[index] { return false }
            index += 1
        }
        return true
    }
}

extension [UInt8] {
    func ends(with text: StaticString) -> Bool {
        text.withUTF8Buffer { text in count >= text.count && self[(count - text.count)...].elementsEqual(text) }
    }
}
