import Foundation
import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Makes it a POST of a JSON object.
    ///
    /// The type is `application/json`, unless a JSON type such as `application/problem+json` has been set before.
    ///
    /// - Parameter json: Strings, numbers, booleans, `nil`, and arrays and dictionaries of them. Keys are written in
    ///   order. What cannot be JSON fails the request when it is sent, with an error that names the place.
    public mutating func post(json: [String: Any]) { set(.post, json) }

    /// Makes it a POST of a value as JSON.
    ///
    /// - Parameters:
    ///   - json: The value. If it cannot be encoded, the request fails when it is sent, with an error that names the place.
    ///   - encoder: How to write it; by default with its keys in order.
    public mutating func post(json: some Encodable, encoder: JSONEncoder = .ordered) { set(.post, json, encoder) }

    /// Makes it a PUT of a JSON object; see ``post(json:)``.
    public mutating func put(json: [String: Any]) { set(.put, json) }

    /// Makes it a PUT of a value as JSON; see ``post(json:encoder:)``.
    public mutating func put(json: some Encodable, encoder: JSONEncoder = .ordered) { set(.put, json, encoder) }

    /// Makes it a PATCH of a JSON object; see ``post(json:)``.
    public mutating func patch(json: [String: Any]) { set(.patch, json) }

    /// Makes it a PATCH of a value as JSON; see ``post(json:encoder:)``.
    public mutating func patch(json: some Encodable, encoder: JSONEncoder = .ordered) { set(.patch, json, encoder) }

    /// Makes it a DELETE with a JSON object; see ``post(json:)``.
    public mutating func delete(json: [String: Any]) { set(.delete, json) }

    /// Makes it a DELETE with a value as JSON; see ``post(json:encoder:)``.
    public mutating func delete(json: some Encodable, encoder: JSONEncoder = .ordered) { set(.delete, json, encoder) }

    private mutating func set(_ method: HttpMethod, _ json: [String: Any]) {
        set(method) { () throws(UnencodableJson) in try JsonObject.encode(json) }
    }

    private mutating func set(_ method: HttpMethod, _ json: some Encodable, _ encoder: JSONEncoder) {
        set(method) { () throws(UnencodableJson) in
            do { return try encoder.encode(json) } catch { throw UnencodableJson(error) }
        }
    }

    private mutating func set(_ method: HttpMethod, encode: () throws(UnencodableJson) -> Data) {
        self.method = method
        if !isJson(fields[.contentType]) { fields[.contentType] = NetworkConstants.contentTypeJSON }
        do throws(UnencodableJson) {
            body = .data(try encode())
        } catch {
            remember(NetworkFailure("the JSON body cannot be encoded at \(error.path): \(error.reason)"))
        }
    }
}

extension JSONEncoder {
    /// An encoder that writes keys in order, so that equal values make equal bodies.
    public static var ordered: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

/// Whether a media type is JSON or built on it (RFC 6839).
func isJson(_ contentType: String?) -> Bool {
    guard let type = contentType?.lowercased().prefix(while: { $0 != ";" && $0 != " " }) else { return false }
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
}
