import Foundation
import SallyportJOSE

/// A URI, usually shown as a QR code, that enrolls a mechanism: `scheme://type/issuer:account?name=value&…`.
///
/// Its parameters contain secrets, which no error repeats.
struct MechanismURI {
    /// The maximum length in bytes. The largest QR code has 2,953.
    static let maximumLength = 4096

    /// The scheme in lower case, such as `pushauth`.
    let scheme: String
    /// The type in lower case: `push`, `totp` or `hotp`.
    let type: String
    /// The issuer; empty if the URI has none.
    let issuer: String
    /// The name of the account.
    let account: String

    private let parameters: [String: String]

    /// Parses a URI.
    ///
    /// - Parameter isSupported: A closure that returns `true` for a supported scheme and type.
    init(_ text: String, where isSupported: (_ scheme: String, _ type: String) -> Bool) throws(MechanismError) {
        let advice = "scan the code again, or copy the complete URI"
        guard text.utf8.count <= Self.maximumLength else {
            throw MechanismError(.unsupportedURI, "the URI is longer than \(Self.maximumLength) bytes", advice: advice)
        }
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let head = halves.first ?? ""
        guard let schemeEnd = head.range(of: "://") else {
            throw MechanismError(.unsupportedURI, "the text is not a URI", advice: advice)
        }
        let path = head[schemeEnd.upperBound...].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        scheme = head[..<schemeEnd.lowerBound].lowercased()
        type = (path.first ?? "").lowercased()
        guard isSupported(scheme, type) else {
            throw MechanismError(
                .unsupportedURI,
                "URIs of this scheme and type do not enroll this kind of mechanism",
                advice: "use a URI that begins with pushauth://push, mfauth:// or otpauth://, as the mechanism requires"
            )
        }
        parameters = try Self.parameters(halves.count > 1 ? halves[1] : "")
        guard let label = (path.count > 1 ? path[1] : "").removingPercentEncoding else {
            throw MechanismError(.invalidParameter("account"), "the account in the URI is not valid UTF-8")
        }
        let names = label.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0.trimmingPrefix { $0 == " " }) }
        account = names.last ?? ""
        issuer = Self.issuer(in: parameters, scheme: scheme) ?? (names.count > 1 ? names[0] : "")
        guard !account.isEmpty else { throw MechanismError(.missingParameter("account"), "the URI names no account") }
    }

    /// Returns the value of a parameter, or `nil` if there is none.
    subscript(name: String) -> String? { parameters[name] }

    /// Returns the value of a required parameter.
    func text(_ name: String) throws(MechanismError) -> String {
        guard let value = parameters[name], !value.isEmpty else {
            throw MechanismError(.missingParameter(name), "the URI has no parameter \(name)")
        }
        return value
    }

    /// Returns the bytes of a required parameter in base64.
    func bytes(_ name: String, upTo maximum: Int) throws(MechanismError) -> Data {
        guard let bytes = EitherBase64.decode(try text(name)), (1...maximum).contains(bytes.count) else {
            throw MechanismError(
                .invalidParameter(name),
                "the parameter \(name) of the URI is not base64 of 1 to \(maximum) bytes"
            )
        }
        return bytes
    }

    /// Returns the text that a required parameter contains in base64.
    func decodedText(_ name: String) throws(MechanismError) -> String {
        guard let text = String(data: try bytes(name, upTo: Self.maximumLength), encoding: .utf8) else {
            throw MechanismError(.invalidParameter(name), "the parameter \(name) of the URI is not text in base64")
        }
        return text
    }

    /// Returns the parameters by name.
    private static func parameters(_ query: Substring) throws(MechanismError) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // A plus sign is not a space here: base64 contains it.
            guard let name = parts[0].removingPercentEncoding, name.utf8.count <= 32,
                name.utf8.allSatisfy({ $0.isAlphanumeric || "-_.".utf8.contains($0) })
            else {
                throw MechanismError(.unsupportedURI, "the URI has a parameter with an invalid name")
            }
            guard let value = (parts.count > 1 ? parts[1] : "").removingPercentEncoding else {
                throw MechanismError(.invalidParameter(name), "the parameter \(name) of the URI is not valid UTF-8")
            }
            guard parameters.updateValue(value, forKey: name) == nil else {
                throw MechanismError(.invalidParameter(name), "the URI has the parameter \(name) twice")
            }
        }
        return parameters
    }

    /// Returns the issuer in the parameters, which is in base64 in all schemes except `otpauth`.
    private static func issuer(in parameters: [String: String], scheme: String) -> String? {
        guard let value = parameters["issuer"], !value.isEmpty else { return nil }
        if scheme == "otpauth" { return value }
        // Some servers do not encode it.
        return EitherBase64.decode(value).flatMap { String(data: $0, encoding: .utf8) } ?? value
    }
}

/// Base64 with either alphabet, with or without padding (RFC 4648, sections 4 and 5), because servers send each of these forms.
enum EitherBase64 {
    /// Decodes text.
    ///
    /// - Returns: The bytes; `nil` for invalid characters, and unused bits that are not zero.
    static func decode(_ text: String) -> Data? {
        let unpadded = text.prefix { $0 != "=" }
        guard ["", "=", "=="].contains(text.dropFirst(unpadded.count)) else { return nil }
        return Base64Url.decode(unpadded.replacing("+", with: "-").replacing("/", with: "_"))
    }
}
