import Sallyport
import SallyportTransfers

/// The status of a call according to the server, beside or instead of the body.
public struct ServiceResponseStatus: Decodable, Sendable, Hashable {
    /// The message of the server.
    public var message: String?

    /// The server's own code. A number is converted to text.
    public var code: String?

    /// The time of the response in the server's format.
    public var responseTimeStamp: String?

    /// Creates a status.
    public init(message: String? = nil, code: String? = nil, responseTimeStamp: String? = nil) {
        self.message = message
        self.code = code
        self.responseTimeStamp = responseTimeStamp
    }

    /// Decodes a status by the keys of ``NetworkServiceConfiguration/envelope``. A value that is not an object is decoded
    /// as the code.
    public init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: NameKey.self) else {
            self.init(code: try TextOrNumber(from: decoder).text)
            return
        }
        let keys = decoder.envelopeKeys
        func text(_ name: String) throws -> String? {
            try container.decodeIfPresent(TextOrNumber.self, forKey: container.key(name))?.text
        }
        self.init(
            message: try text(keys.message),
            code: try text(keys.code),
            responseTimeStamp: try text(keys.responseTimeStamp)
        )
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
