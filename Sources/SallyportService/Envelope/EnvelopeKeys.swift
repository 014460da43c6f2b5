import Sallyport
import SallyportTransfers

/// The keys of the members of an envelope.
///
/// ```json
/// {"status": {"message": "OK", "code": "0", "responseTimeStamp": "2025-01-01T00:00:00Z"}, "body": …}
/// ```
public struct EnvelopeKeys: Sendable, Hashable {
    /// The key of the status; `nil` if the members of the status are beside the body.
    public var status: String? = "status"

    /// The key of the body.
    public var body = "body"

    /// The key of the status's message.
    public var message = "message"

    /// The key of the status's code.
    public var code = "code"

    /// The key of the time of the response.
    public var responseTimeStamp = "responseTimeStamp"

    /// Creates the default keys.
    public init() {}
}

extension CodingUserInfoKey {
    static let envelopeKeys = CodingUserInfoKey(rawValue: "sallyport.envelopeKeys")
}

extension Decoder {
    /// The keys of the service's configuration, or the default ones.
    var envelopeKeys: EnvelopeKeys {
        CodingUserInfoKey.envelopeKeys.flatMap { userInfo[$0] as? EnvelopeKeys } ?? EnvelopeKeys()
    }
}

extension KeyedDecodingContainer<NameKey> {
    /// Returns the key for a name. The decoder may have converted it, as from `time_stamp` to `timeStamp`.
    func key(_ name: String) -> NameKey {
        let key = NameKey(name)
        if contains(key) { return key }
        return allKeys.first { $0.stringValue.isSameKey(as: name) } ?? key
    }
}

extension String {
    /// Returns a Boolean value that indicates whether two JSON names differ only in case and underscores, as `time_stamp` and
    /// `timeStamp` do.
    func isSameKey(as other: String) -> Bool { keyLetters == other.keyLetters }

    private var keyLetters: String { filter { $0 != "_" }.lowercased() }
}
