import ArgumentParser
import Foundation
import Sallyport

/// As whom to appear to the server of the URL.
struct AuthenticationOptions: ParsableArguments {
    @OptionGroup
    var given: CredentialOptions

    @Flag(help: "Send the credentials by Basic authentication, at once. (default)")
    var basic = false

    @Flag(help: "Use the credentials for Digest authentication, when the server asks for it.")
    var digest = false

    func validate() throws {
        if basic, digest { throw ValidationError("Only one of --basic and --digest can be used.") }
        if given.user == nil, basic || digest {
            throw ValidationError("--\(basic ? "basic" : "digest") needs credentials: give them with --user.")
        }
    }

    var auth: ProfileName? { given.auth }

    /// What appears to the server of a URL.
    func interceptors(for url: String) -> [any Interceptor] { given.interceptors(for: [url], digest: digest) }

    /// The request with what is known before the server asks, which is everything by Basic authentication.
    func applied(to request: HttpRequest) throws(NetworkError) -> HttpRequest {
        guard !digest, let (name, password) = given.pair, let url = request.url else { return request }
        return try BasicAuthentication(user: name, password: password, for: [url]).authorized(request)
    }

    /// The words that make curl do the rest.
    func curlWords(showingSecrets: Bool) -> [String] {
        guard digest, let (name, password) = given.pair else { return [] }
        return ["--digest", "--user", showingSecrets ? "\(name):\(password)" : "***"]
    }
}
