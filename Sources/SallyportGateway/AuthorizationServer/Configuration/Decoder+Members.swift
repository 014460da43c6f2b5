import Foundation
import Sallyport
import SallyportJOSE

extension Decoder {
    /// Throws an error for the first member of an object that is not known, so that a typing error does not disable a restriction.
    ///
    /// - Parameters:
    ///   - keys: The known members.
    ///   - name: The name of the object; `nil` for the whole configuration.
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` with the names of the member and of those that are known.
    func refuseUnknownMembers<Key>(_ keys: Key.Type, of name: String? = nil) throws
    where Key: CodingKey & CaseIterable & RawRepresentable<String> {
        let known = keys.allCases.map(\.rawValue)
        if let unknown = try [String: JsonValue](from: self).keys.sorted().first(where: { !known.contains($0) }) {
            throw GatewayError.invalidIdentity(
                "\(name.map { "\($0): " } ?? "")\"\(unknown)\" is unknown. Known members: \(known.joined(separator: ", "))."
            )
        }
    }
}

extension Decodable {
    /// Returns a configuration that is decoded from JSON. An object with two members of the same name is refused, because one of them would
    /// be ignored.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` with the line and the column of an error in the JSON, or the path and the kind of the
    ///   error, without the wrong value.
    static func decoded(from json: Data) throws(GatewayError) -> Self {
        do throws(JsonDocumentError) {
            _ = try JsonDocument(fileContent: json)
        } catch {
            throw .invalidIdentity("\(error)")
        }
        do {
            return try JSONDecoder().decode(Self.self, from: json)
        } catch let error as GatewayError {
            throw error
        } catch let error as DecodingError {
            throw .invalidIdentity(error.sentence)
        } catch {
            throw .invalidIdentity("The configuration is not JSON.")
        }
    }
}

extension DecodingError {
    /// The path and the kind of the error, without the wrong value.
    fileprivate var sentence: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.path(context)) has no \"\(key.stringValue)\"."
        case .valueNotFound(_, let context): "\(Self.path(context)) is null."
        case .typeMismatch(let type, let context): "\(Self.path(context)) is not of the type \(type)."
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "The configuration is not JSON."
        case .dataCorrupted(let context): "\(Self.path(context)) is not a known or allowed value."
        @unknown default: "The configuration cannot be read."
        }
    }

    private static func path(_ context: Context) -> String {
        let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        return path.isEmpty ? "The configuration" : String(path.drop { $0 == "." })
    }
}
