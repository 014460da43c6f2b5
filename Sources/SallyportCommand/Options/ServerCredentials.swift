import Foundation
import Sallyport
import SallyportOAuth

/// Credentials for the server of one URL. They are never sent to another server, not even after a redirect.
struct ServerCredentials: Sendable {
    enum Secret: Sendable {
        case password(UserAndPassword)
        case token(String)
    }

    /// A URL of the server.
    let url: String
    private(set) var secret: Secret

    init(url: String, secret: Secret) {
        self.url = url
        self.secret = secret
    }

    /// - Throws: A failure if the token contains invalid characters, or would be sent over plain http to another machine.
    init(url: String, token: String) throws(CommandFailure) {
        guard token.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {
            throw CommandFailure(
                .usage,
                "the token of --bearer-file contains characters that are not allowed in a token (RFC 6750)"
            )
        }
        if EndpointAddress.problem(with: url) != nil {
            throw CommandFailure(
                .usage,
                "the token of --bearer-file is not sent over plain http, where others could read it; use https"
            )
        }
        self.init(url: url, secret: .token(token))
    }

    var isPassword: Bool { if case .password = secret { true } else { false } }

    /// Asks for the password at the terminal if it is missing.
    mutating func askForPassword() async throws {
        guard case .password(var user) = secret, user.password == nil else { return }
        user.password = try await PasswordPrompt.password(of: user.name, at: url)
        secret = .password(user)
    }

    /// Returns the interceptor that attaches the credentials to requests; `nil` if the password is missing.
    func interceptor(usingDigest: Bool) -> (any Interceptor)? {
        switch secret {
        case .token(let token): return BearerAuthentication(token: token, url: url)
        case .password(let user):
            guard let password = user.password else { return nil }
            if usingDigest { return DigestAuthentication(user: user.name, password: password, for: [url]) }
            return BasicAuthentication(user: user.name, password: password, for: [url])
        }
    }

    /// Returns a request with the credentials, if they are sent without a challenge: a token, or a password for Basic
    /// authentication. Digest authentication requires a challenge.
    func applied(to request: HttpRequest, usingDigest: Bool) throws(NetworkError) -> HttpRequest {
        switch interceptor(usingDigest: usingDigest) {
        case let basic as BasicAuthentication: try basic.authorized(request)
        case let bearer as BearerAuthentication: try bearer.authorized(request)
        default: request
        }
    }

    /// Returns curl's arguments for a password that ``applied(to:usingDigest:)`` does not attach.
    func curlArguments(usingDigest: Bool, showingSecrets: Bool) -> [String] {
        guard case .password(let user) = secret else { return [] }
        let digest = usingDigest ? ["--digest"] : []
        // curl itself asks for a missing password.
        guard let password = user.password else { return digest + ["--user", user.name] }
        return usingDigest ? digest + ["--user", showingSecrets ? "\(user.name):\(password)" : "***"] : []
    }
}

/// An interceptor that sends a token to one server (RFC 6750), over TLS or directly to a loopback address.
private struct BearerAuthentication: MessageInterceptor {
    let token: String
    let url: String

    func willSend(_ request: inout HttpRequest) throws {
        request = try authorized(request)
    }

    func authorized(_ request: HttpRequest) throws(NetworkError) -> HttpRequest {
        guard request.getHeader(name: NetworkConstants.headerAuthorization) == nil,
            try request.origin() == HttpRequest(url: url).origin()
        else { return request }
        var request = request
        request.requiresSecureTransport = true
        try request.attach(authorization: "Bearer \(token)")
        return request
    }
}
