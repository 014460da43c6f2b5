import Foundation
import SallyportTransport

/// A name and a password, and the origins that may see them. It shows neither.
struct Credentials: Sendable {
    /// In Unicode's composed form (NFC), as RFC 7616 and RFC 7617 ask for.
    let user: String
    /// In Unicode's composed form.
    let password: String

    private let origins: Set<String>
    private let problem: NetworkFailure?

    /// - Parameter isColonAllowed: Whether the name may hold a colon.
    init(user: String, password: String, origins urls: [String], isColonAllowed: Bool) {
        self.user = user.precomposedStringWithCanonicalMapping
        self.password = password.precomposedStringWithCanonicalMapping
        var origins: Set<String> = []
        var problem = Self.problem(user: user, password: password, isColonAllowed: isColonAllowed)
        if urls.isEmpty {
            problem = NetworkFailure(
                "the credentials belong to no origin",
                advice: "name one, as https://api.example.com"
            )
        }
        for url in urls {
            do throws(NetworkError) {
                origins.insert(try RequestTarget(url: url).origin)
            } catch {
                problem = NetworkFailure("the credentials have an origin that is none: \(error.failure)")
            }
        }
        self.origins = origins
        self.problem = problem
    }

    /// Where the request goes, if the credentials may be sent there and the app has set none of its own.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the credentials can be sent nowhere.
    func target(of request: HttpRequest) throws(NetworkError) -> RequestTarget? {
        if let problem { throw .invalidRequest(problem) }
        guard request.fields[.authorization] == nil,
            let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        else { return nil }
        return origins.contains(target.origin) ? target : nil
    }

    private static func problem(user: String, password: String, isColonAllowed: Bool) -> NetworkFailure? {
        for (text, name) in [(user, "user name"), (password, "password")] {
            if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                return NetworkFailure("the \(name) contains a control character", advice: "take it out")
            }
        }
        if !isColonAllowed, user.utf8.contains(UInt8(ascii: ":")) {
            return NetworkFailure(
                "the user name contains a colon, at which Basic authentication would end it",
                advice: "use another name, or another kind of authentication"
            )
        }
        return nil
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// The origins alone.
    var description: String { "credentials for \(origins.sorted().joined(separator: ", "))" }

    var customMirror: Mirror { Mirror(self, children: ["credentials": description], displayStyle: .struct) }
}
