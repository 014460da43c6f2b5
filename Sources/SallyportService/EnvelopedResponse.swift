import Sallyport

/// A response in an envelope, decoded by the keys in the user info of the decoder.
struct EnvelopedResponse<Payload: Decodable>: Decodable {
    let payload: Payload?
    let status: EnvelopedStatus?

    init(from decoder: any Decoder) throws {
        let keys = decoder.envelopeKeys
        let container = try decoder.container(keyedBy: NameKey.self)
        let payloadKey = container.key(keys.payload)
        if let status = keys.status {
            let key = container.key(status)
            guard container.contains(key) || container.contains(payloadKey) else {
                throw DecodingError.keyNotFound(
                    payloadKey,
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "there is neither \(status) nor \(keys.payload)"
                    )
                )
            }
            self.status = try container.decodeIfPresent(EnvelopedStatus.self, forKey: key)
        } else {
            status = try EnvelopedStatus(from: decoder)
        }
        payload = try container.decodeIfPresent(Payload.self, forKey: payloadKey)
    }
}

/// The status in an envelope. A value that is not an object is the code.
struct EnvelopedStatus: Decodable {
    var message: String?
    var code: String?

    init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: NameKey.self) else {
            code = try TextOrNumber(from: decoder).text
            return
        }
        let keys = decoder.envelopeKeys
        message = try container.decodeIfPresent(TextOrNumber.self, forKey: container.key(keys.message))?.text
        code = try container.decodeIfPresent(TextOrNumber.self, forKey: container.key(keys.code))?.text
    }
}

/// A text, or a number or Boolean value converted to text.
private struct TextOrNumber: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            text = "\(number)"
        } else if let number = try? container.decode(Double.self) {
            text = "\(number)"
        } else if let boolean = try? container.decode(Bool.self) {
            text = "\(boolean)"
        } else {
            text = try container.decode(String.self)
        }
    }
}

extension CodingUserInfoKey {
    static let envelopeKeys = CodingUserInfoKey(rawValue: "sallyport.envelopeKeys")
}

extension Decoder {
    /// The keys of the envelope, or the default ones.
    fileprivate var envelopeKeys: EnvelopeKeys {
        CodingUserInfoKey.envelopeKeys.flatMap { userInfo[$0] as? EnvelopeKeys } ?? EnvelopeKeys()
    }
}

extension KeyedDecodingContainer<NameKey> {
    /// Returns the key for a name. The decoder may have converted it, as from `time_stamp` to `timeStamp`.
    fileprivate func key(_ name: String) -> NameKey {
        let key = NameKey(name)
        if contains(key) { return key }
        return allKeys.first { $0.stringValue.isSameKey(as: name) } ?? key
    }
}

extension String {
    /// Returns `true` if two JSON names differ only in case and underscores, as `time_stamp` and `timeStamp` do.
    func isSameKey(as other: String) -> Bool { keyLetters == other.keyLetters }

    private var keyLetters: String { filter { $0 != "_" }.lowercased() }
}
