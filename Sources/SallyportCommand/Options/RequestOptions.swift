import ArgumentParser

/// All that can be said about one request and its response.
struct RequestOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Where to send the request: an http or https URL.", valueName: "url"))
    var address: RequestURL

    /// The URL that the request is sent to.
    var url: String { address.text }

    @OptionGroup(title: "Request Options")
    var content: ContentOptions

    @OptionGroup(title: "Authentication Options")
    var authentication: AuthenticationOptions

    @OptionGroup(title: "Response Options")
    var place: OutputPlaceOptions

    @OptionGroup(title: "Response Options")
    var output: OutputOptions

    @OptionGroup(title: "Cookie Options")
    var cookies: CookieOptions

    @OptionGroup(title: "Connection Options")
    var connection: ConnectionOptions

    @OptionGroup(title: "Retry Options")
    var retries: RetryOptions

    @OptionGroup(title: "Proxy Options")
    var proxy: ProxyOptions

    @OptionGroup(title: "TLS Options")
    var security: SecurityOptions

    @OptionGroup(title: "Pin Options")
    var pins: PinOptions

    func validate() throws {
        try StandardInputUses.check(
            content.standardInputUses + authentication.given.standardInputUses + proxy.standardInputUses
        )
        if authentication.auth != nil, output.curl {
            throw ValidationError("--curl prints no token: give curl one with --oauth2-bearer \"$(sallyport token)\".")
        }
    }
}

extension RequestOptions: ClientOptions {
    var decodesContent: Bool { output.compressed }
    var isVerbose: Bool { output.verbose }
}
