import ArgumentParser
import Sallyport

/// A command that sends one request. Every method accepts a body.
struct RequestCommand<Arguments: RequestArguments>: AsyncParsableCommand, RequestRunOptions {
    static var configuration: CommandConfiguration { Arguments.configuration }

    @OptionGroup
    var arguments: Arguments

    @OptionGroup(title: "Request Options")
    var head: HeadOptions

    @OptionGroup(title: "Request Options")
    var content: ContentOptions

    @OptionGroup(title: "Authentication Options")
    var credentials: CredentialOptions

    @OptionGroup(title: "Authentication Options")
    var scheme: AuthenticationSchemeOptions

    @OptionGroup(title: "Response Options")
    var destination: ResponseDestinationOptions

    @OptionGroup(title: "Response Options")
    var output: OutputOptions

    @OptionGroup(title: "Response Options")
    var cache: CacheOptions

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

    var address: RequestURL { arguments.address }

    var body: ContentOptions? { content }

    var usesCache: Bool { cache.cache }

    func validate() throws { try checkCombinations() }

    func run() async throws {
        let (method, options) = (try method(), self)
        try await Interruption.cancelOnSignal {
            let run = try await RequestRun(method: method, options)
            if options.output.curl { try await run.printCurl() } else { try await run.run() }
        }
    }

    /// Returns the method of the request.
    ///
    /// - Throws: A usage error if the arguments are not a method and a URL. The validation does not check this. It runs before unknown
    ///   options are refused, and the value of an unknown option seems to be an argument.
    func method() throws -> HttpMethod {
        try arguments.method(hasBody: content.hasBody, usesRemoteName: destination.remoteName)
    }
}

/// The arguments of a ``RequestCommand`` for the method and the URL.
protocol RequestArguments: ParsableArguments, Sendable {
    static var configuration: CommandConfiguration { get }

    var address: RequestURL { get }

    /// Returns the method.
    ///
    /// - Parameters:
    ///   - hasBody: `true` if the request has a body.
    ///   - usesRemoteName: `true` if the response gets the name at the end of the URL.
    /// - Throws: A usage error.
    func method(hasBody: Bool, usesRemoteName: Bool) throws -> HttpMethod
}

/// The URL of a request with the method `Method`.
struct FixedMethodArguments<Method: RequestMethod>: RequestArguments {
    static var configuration: CommandConfiguration {
        // With the name of its parent, the argument parser does not search the arguments of the subcommand for
        // --generate-completion-script, which would take a tenth of the time of parsing; see SallyportTool.command(for:).
        CommandConfiguration(
            commandName: Method.method.rawValue.lowercased(),
            _superCommandName: "sallyport",
            abstract: Method.abstract
        )
    }

    @Argument(help: ArgumentHelp("The http or https URL to send the request to.", valueName: "url"))
    var address: RequestURL

    func method(hasBody: Bool, usesRemoteName: Bool) -> HttpMethod { Method.method }
}

/// A subcommand that sends one request with the method `Method`.
typealias MethodCommand<Method: RequestMethod> = RequestCommand<FixedMethodArguments<Method>>

/// The HTTP method of a ``MethodCommand``, and its description.
protocol RequestMethod: Sendable {
    static var method: HttpMethod { get }

    /// The description of the subcommand in the help.
    static var abstract: String { get }
}

enum GetMethod: RequestMethod {
    static let method = HttpMethod.get
    static let abstract = "Fetches a resource."
}

enum HeadMethod: RequestMethod {
    static let method = HttpMethod.head
    static let abstract = "Fetches and prints only the head of a response."
}

enum PostMethod: RequestMethod {
    static let method = HttpMethod.post
    static let abstract = "Sends a body for the resource to process."
}

enum PutMethod: RequestMethod {
    static let method = HttpMethod.put
    static let abstract = "Sends a body to store at a URL."
}

enum PatchMethod: RequestMethod {
    static let method = HttpMethod.patch
    static let abstract = "Sends a partial change to a resource."
}

enum DeleteMethod: RequestMethod {
    static let method = HttpMethod.delete
    static let abstract = "Deletes a resource."
}

enum OptionsMethod: RequestMethod {
    static let method = HttpMethod.options
    static let abstract = "Requests the communication options of a resource."
}
