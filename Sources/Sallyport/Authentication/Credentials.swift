import Foundation
import SallyportTransport

/// A user name and a password, and the origins that may receive them. Its description contains neither.
struct Credentials: Sendable {
    /// The user name in Unicode Normalization Form C (NFC), as RFC 7616 and RFC 7617 require.
    let user: String
    /// The password in Unicode Normalization Form C.
    let password: String

    private let origins: Result<OriginSet, NetworkError>
    private let problem: NetworkFailure?

    /// Creates credentials. Invalid values are reported when the credentials are used.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - origins: The origins, or the reason why they are invalid.
    ///   - isColonAllowed: A Boolean value that indicates whether the user name may contain a colon.
    init(user: String, password: String, origins: Result<OriginSet, NetworkError>, isColonAllowed: Bool) {
        self.user = user.precomposedStringWithCanonicalMapping
        self.password = password.precomposedStringWithCanonicalMapping
        self.origins = origins
        problem = Self.problem(user: user, password: password, isColonAllowed: isColonAllowed)
    }

    /// Returns the target of a request that these credentials may be attached to; `nil` for another origin, or if the app has set
    /// an `Authorization` header itself.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the credentials or their origins are invalid.
    func target(of request: HttpRequest) throws(NetworkError) -> RequestTarget? {
        if let problem { throw .invalidRequest(problem) }
        let origins = try origins.get()
        guard request.fields[.authorization] == nil,
            let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        else { return nil }
        return origins.contains(target) ? target : nil
    }

    private static func problem(user: String, password: String, isColonAllowed: Bool) -> NetworkFailure? {
        for (text, name) in [(user, "user name"), (password, "password")] {
            if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                return NetworkFailure("the \(name) contains a control character", advice: "remove it")
            }
        }
        if !isColonAllowed, user.utf8.contains(UInt8(ascii: ":")) {
            return NetworkFailure(
                "the user name contains a colon, which separates it from the password in Basic authentication",
                advice: "use another name, or another authentication scheme"
            )
        }
        return nil
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// The origins only.
    var description: String { "credentials for \((try? origins.get())?.description ?? "no valid origin")" }

    var customMirror: Mirror { Mirror(self, children: ["credentials": description], displayStyle: .struct) }
}
