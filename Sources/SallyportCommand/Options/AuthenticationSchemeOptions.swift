import ArgumentParser

/// The authentication scheme for the credentials of a request.
struct AuthenticationSchemeOptions: ParsableArguments {
    @Flag(help: "Send the credentials with the first request, by Basic authentication. (default)")
    var basic = false

    @Flag(help: "Use the credentials for Digest authentication when the server requests it.")
    var digest = false

    func validate() throws {
        if basic, digest { throw ValidationError("Only one of --basic and --digest can be used.") }
    }

    /// The option that selected the scheme, if any.
    var option: String? { digest ? "--digest" : basic ? "--basic" : nil }
}
