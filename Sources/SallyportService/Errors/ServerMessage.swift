import Foundation
import Sallyport
import SallyportTransfers
import SallyportTransport

/// The message and code in the body of an error response, in any of the common formats.
struct ServerMessage {
    /// The maximum size of a body that is searched, in bytes.
    private static let maximumBodySize = 1 << 20
    private static let maximumMessageLength = 1000

    private(set) var message: String?
    private(set) var code: String?

    init(_ response: HttpResponse, envelope keys: EnvelopeKeys) {
        guard let body = response.body, !body.isEmpty, body.count <= Self.maximumBodySize,
            let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        else { return }
        let status = keys.status.map { object[$0] as? [String: Any] } ?? object
        let error = object["error"] as? [String: Any]
        message = Self.first([
            status?[keys.message], object["detail"], object["title"], object["error_description"], error?["message"],
            object["message"], object["error"],
        ])
        code = Self.first([status?[keys.code], error?["code"], object["code"], object["error"]])
        if code == message { code = nil }
    }

    /// Returns a text from the server for use in an error: on one line, and truncated.
    static func bounded(_ text: String) -> String { VisibleText.line(String(text.prefix(maximumMessageLength))) }

    /// Returns the first value that is a text, which is truncated, or a number.
    private static func first(_ values: [Any?]) -> String? {
        for case let value? in values {
            switch value {
            case let text as String where !text.isEmpty: return bounded(text)
            case let number as NSNumber where !isBoolean(number): return "\(number)"
            default: continue
            }
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a number is `true` or `false`, as in `"error": true`. It is not a message.
    private static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == String(cString: NSNumber(value: true).objCType)
    }
}
