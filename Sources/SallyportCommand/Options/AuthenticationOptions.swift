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
    }

    var auth: ProfileName? { given.auth }

    /// The option that chooses how the credentials are used, if one was given.
    var scheme: String? { digest ? "--digest" : basic ? "--basic" : nil }
}
