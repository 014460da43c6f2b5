import Foundation
import SallyportTransport

/// An interceptor that sends a user name and a password with every request to certain origins (Basic authentication, RFC 7617).
///
/// Basic authentication does not encrypt the password, so use it with `https` only. Requests to other origins carry no credentials, even
/// after a redirect. An `Authorization` header that the app sets itself is not replaced.
///
/// ```swift
/// config.authentication = [.basic(user: "ada", password: password, for: "https://api.example.com")]
/// ```
public struct BasicAuthentication: MessageInterceptor {
    private let credentials: Credentials
    private let authorization: String

    /// Creates an interceptor that authenticates requests to a set of origins.
    ///
    /// A user name with a colon, or a control character in the user name or password, makes every call fail with
    /// ``NetworkError/invalidRequest(_:)`` before anything is sent.
    ///
    /// - Parameters:
    ///   - user: The user name, sent as UTF-8.
    ///   - password: The password, sent as UTF-8.
    ///   - origins: The origins that may receive the credentials.
    public init(user: String, password: String, for origins: OriginSet) {
        self.init(user: user, password: password, origins: .success(origins))
    }

    /// Creates an interceptor that authenticates requests to the origins of some URLs.
    ///
    /// An invalid origin makes every call fail with ``NetworkError/invalidRequest(_:)``, as invalid credentials do; see
    /// ``init(user:password:for:)-(_,_,OriginSet)``.
    ///
    /// - Parameters:
    ///   - user: The user name, sent as UTF-8.
    ///   - password: The password, sent as UTF-8.
    ///   - origins: At least one `http` or `https` URL. Paths and queries are ignored.
    public init(user: String, password: String, for origins: [String]) {
        self.init(
            user: user,
            password: password,
            origins: Result { () throws(NetworkError) in try OriginSet(origins) }
        )
    }

    private init(user: String, password: String, origins: Result<OriginSet, NetworkError>) {
        credentials = Credentials(user: user, password: password, origins: origins, isColonAllowed: false)
        let pair = Data("\(credentials.user):\(credentials.password)".utf8)
        authorization = "Basic \(pair.base64EncodedString())"
    }

    /// Attaches the credentials to a request for one of the origins.
    public func willSend(_ request: inout HttpRequest) throws {
        request = try authorized(request)
    }

    /// Returns the request with the credentials attached if it goes to one of the origins.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the credentials or their origins are invalid.
    package func authorized(_ request: HttpRequest) throws(NetworkError) -> HttpRequest {
        guard let target = try credentials.target(of: request) else { return request }
        var request = request
        request.attach(authorization: authorization, for: target)
        return request
    }
}

extension BasicAuthentication: CustomStringConvertible, CustomReflectable {
    /// The scheme and the origins, without the user name and the password.
    public var description: String { "Basic \(credentials)" }

    /// A mirror that shows the ``description`` only, so that `dump` reveals no secret.
    public var customMirror: Mirror { Mirror(self, children: ["basic": description], displayStyle: .struct) }
}

extension Interceptor where Self == BasicAuthentication {
    /// Returns an interceptor for Basic authentication; see ``BasicAuthentication``.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - origins: URLs of the servers that may receive the credentials, such as `https://api.example.com`.
    public static func basic(user: String, password: String, for origins: String...) -> Self {
        BasicAuthentication(user: user, password: password, for: origins)
    }
}
