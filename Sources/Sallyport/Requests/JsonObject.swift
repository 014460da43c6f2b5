import Foundation

/// Encodes dictionaries of any values as JSON.
enum JsonObject {
    static func encode(_ object: [String: Any]) throws(UnencodableJson) -> Data {
        let object = try prepared(object, path: [])
        do {
            return try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        } catch {
            throw UnencodableJson(error)
        }
    }

    /// Returns a value that `JSONSerialization` accepts. Some other values would terminate the process.
    private static func prepared(_ value: Any, path: [String]) throws(UnencodableJson) -> Any {
        let value = flattened(value)
        if let object = value as? [String: Any] {
            var copy: [String: Any] = [:]
            for (key, member) in object { copy[key] = try prepared(member, path: path + [key]) }
            return copy
        }
        if let array = value as? [Any] {
            var copy: [Any] = []
            for (index, element) in array.enumerated() {
                copy.append(try prepared(element, path: path + ["\(index)"]))
            }
            return copy
        }
        guard JSONSerialization.isValidJSONObject([value]) else {
            throw UnencodableJson(path: path, reason: "a value of type \(type(of: value)) is not JSON")
        }
        return value
    }

    /// Returns a value without nested optionals; `nil` becomes null.
    private static func flattened(_ value: Any) -> Any {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.map { flattened($0.value) } ?? NSNull()
    }
}

/// The reason why a value cannot be encoded as JSON, and its path. It does not contain the value.
struct UnencodableJson: Error {
    let path: String
    let reason: String

    init(path: [String], reason: String) {
        self.path = path.isEmpty ? "the root" : path.joined(separator: ".")
        self.reason = reason
    }

    init(_ error: any Error) {
        guard case EncodingError.invalidValue(let value, let context) = error else {
            self.init(path: [], reason: "\(type(of: error))")
            return
        }
        self.init(
            path: context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue },
            reason: "a value of type \(type(of: value)) is not JSON"
        )
    }
}
