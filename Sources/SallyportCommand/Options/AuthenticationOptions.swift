import ArgumentParser
import Foundation
import Sallyport

/// As whom to appear to the server of the URL.
struct AuthenticationOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("Credentials for the server of the URL.", valueName: "name:password")
    )
    var user: String?

    @Flag(help: "Send the credentials by Basic authentication, at once. (default)")
    var basic = false

    @Flag(help: "Use the credentials for Digest authentication, when the server asks for it.")
    var digest = false

    @Option(
        help: ArgumentHelp(
            "Call as who has signed in with sallyport login: --auth=name, or --auth alone for SALLYPORT_PROFILE or default.",
            valueName: "profile"
        )
    )
    var auth: ProfileName?

    func validate() throws {
        if auth != nil, user != nil { throw ValidationError("Only one of --auth and --user can be used.") }
        if basic, digest { throw ValidationError("Only one of --basic and --digest can be used.") }
        if user == nil, basic || digest {
            throw ValidationError("--\(basic ? "basic" : "digest") needs credentials: give them with --user.")
        }
        if let user, !user.contains(":") {
            throw ValidationError("--user needs a name and a password with a colon between them, as in ada:secret.")
        }
    }

    /// What appears to the server of a URL.
    func interceptors(for url: String) -> [any Interceptor] {
        guard let (name, password) = pair else { return [] }
        if digest { return [.digest(user: name, password: password, for: url)] }
        return [.basic(user: name, password: password, for: url)]
    }

    /// The request with what is known before the server asks, which is everything by Basic authentication.
    func applied(to request: HttpRequest) throws(NetworkError) -> HttpRequest {
        guard !digest, let (name, password) = pair, let url = request.url else { return request }
        return try BasicAuthentication(user: name, password: password, for: [url]).authorized(request)
    }

    /// The words that make curl do the rest.
    func curlWords(showingSecrets: Bool) -> [String] {
        guard digest, let (name, password) = pair else { return [] }
        return ["--digest", "--user", showingSecrets ? "\(name):\(password)" : "***"]
    }

    /// The name ends at the first colon.
    private var pair: (name: String, password: String)? {
        guard let user, let colon = user.firstIndex(of: ":") else { return nil }
        return (String(user[..<colon]), String(user[user.index(after: colon)...]))
    }
}
