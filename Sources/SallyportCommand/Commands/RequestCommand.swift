import ArgumentParser
import Sallyport

/// A subcommand that sends one request with the method `Method`. Every method accepts a body.
struct RequestCommand<Method: RequestMethod>: AsyncParsableCommand, RequestRunOptions {
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

    var body: ContentOptions? { content }

    var usesCache: Bool { cache.cache }

    func validate() throws { try checkCombinations() }

    func run() async throws {
        let options = self
        try await Interruption.cancelOnSignal {
            let run = try await RequestRun(method: Method.method, options)
            if options.output.curl { try await run.printCurl() } else { try await run.run() }
        }
    }
}

/// The HTTP method of a ``RequestCommand``, and its description.
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
