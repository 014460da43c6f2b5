/// What the members of an envelope are called.
///
/// ```json
/// {"status": {"message": "OK", "code": "0", "responseTimeStamp": "2025-01-01T00:00:00Z"}, "body": …}
/// ```
public struct EnvelopeKeys: Sendable, Hashable {
    /// The member that tells what became of the call; `nil` where its members stand beside the body.
    public var status: String? = "status"

    /// The member that was asked for.
    public var body = "body"

    /// The status's message.
    public var message = "message"

    /// The status's code.
    public var code = "code"

    /// When the server answered.
    public var responseTimeStamp = "responseTimeStamp"

    /// Makes the keys of the usual envelope.
    public init() {}
}

extension CodingUserInfoKey {
    static let envelopeKeys = CodingUserInfoKey(rawValue: "sallyport.envelopeKeys")
}

extension Decoder {
    /// The keys that the service was told, or the usual ones.
    var envelopeKeys: EnvelopeKeys {
        CodingUserInfoKey.envelopeKeys.flatMap { userInfo[$0] as? EnvelopeKeys } ?? EnvelopeKeys()
    }
}

extension KeyedDecodingContainer<NameKey> {
    /// The key of a name. The decoder may have changed how it is written, as from `time_stamp` to `timeStamp`.
    func key(_ name: String) -> NameKey {
        let key = NameKey(name)
        if contains(key) { return key }
        let letters = Self.letters(of: name)
        return allKeys.first { Self.letters(of: $0.stringValue) == letters } ?? key
    }

    private static func letters(of name: String) -> String { name.filter { $0 != "_" }.lowercased() }
}
