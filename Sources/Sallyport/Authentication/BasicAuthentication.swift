import Foundation
import SallyportTransport

/// Basic authentication (RFC 7617): a name and a password, sent with every request to the origins they belong to.
///
/// They travel as they are, so use it over `https` only. Nothing is sent to other origins, redirects included, and an
/// `Authorization` header that the app set itself is left as it is.
///
/// ```swift
/// config.authentication = [.basic(user: "ada", password: password, for: "https://api.example.com")]
/// ```
public struct BasicAuthentication: Interceptor {
    private let credentials: Credentials
    private let authorization: String

    /// Makes the credentials for some origins.
    ///
    /// A name with a colon, control characters, or no valid origin fail every call with
    /// ``NetworkError/invalidRequest(_:)`` before anything is sent.
    ///
    /// - Parameters:
    ///   - user: The name, sent as UTF-8.
    ///   - password: The password, sent as UTF-8.
    ///   - origins: `http` and `https` URLs, of which only scheme, host and port matter.
    public init(user: String, password: String, for origins: [String]) {
        credentials = Credentials(user: user, password: password, origins: origins, isColonAllowed: false)
        let pair = Data("\(credentials.user):\(credentials.password)".utf8)
        authorization = "Basic \(pair.base64EncodedString())"
    }

    /// Attaches the credentials where they belong.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        try await next(authorized(request))
    }

    /// The request with the credentials, if they belong to it.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if they can be sent nowhere.
    package func authorized(_ request: HttpRequest) throws(NetworkError) -> HttpRequest {
        guard let target = try credentials.target(of: request) else { return request }
        var request = request
        request.attach(authorization: authorization, for: target)
        return request
    }
}

extension BasicAuthentication: CustomStringConvertible, CustomReflectable {
    /// The kind and the origins, without name and password.
    public var description: String { "Basic \(credentials)" }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["basic": description], displayStyle: .struct) }
}
