import ArgumentParser
import Foundation
import Sallyport

/// A name and a password, or the profile of a login.
struct CredentialOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("Credentials for the server of the URL.", valueName: "name:password")
    )
    var user: String?

    @Option(
        help: ArgumentHelp(
            "Call as who has signed in with sallyport login: --auth=name, or --auth alone for SALLYPORT_PROFILE or default.",
            valueName: "profile"
        )
    )
    var auth: ProfileName?

    func validate() throws {
        if auth != nil, user != nil { throw ValidationError("Only one of --auth and --user can be used.") }
        if let user, !user.contains(":") {
            throw ValidationError("--user needs a name and a password with a colon between them, as in ada:secret.")
        }
    }

    /// What appears to the server of some URLs, which is one.
    func interceptors(for urls: [String], digest: Bool) -> [any Interceptor] {
        guard let (name, password) = pair, let url = urls.first else { return [] }
        if digest { return [.digest(user: name, password: password, for: url)] }
        return [.basic(user: name, password: password, for: url)]
    }

    /// The name and the password. The name ends at the first colon.
    var pair: (name: String, password: String)? {
        guard let user, let colon = user.firstIndex(of: ":") else { return nil }
        return (String(user[..<colon]), String(user[user.index(after: colon)...]))
    }
}
