import ArgumentParser
import Sallyport

/// A subcommand that sends one request.
protocol RequestCommand: AsyncParsableCommand {
    static var method: HttpMethod { get }

    var options: RequestOptions { get }
}

extension RequestCommand {
    func run() async throws {
        let options = options
        try await Interruption.cancelOnSignal {
            let run = try await RequestRun(method: Self.method, options)
            if options.output.curl { try await run.printCurl() } else { try await run.run() }
        }
    }
}

struct GetCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Fetches a resource."
    )
    static let method = HttpMethod.get
    @OptionGroup var options: RequestOptions
}

struct HeadCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "head",
        abstract: "Fetches and prints only the head of a response."
    )
    static let method = HttpMethod.head
    @OptionGroup var options: RequestOptions
}

struct PostCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Sends a body for the resource to process."
    )
    static let method = HttpMethod.post
    @OptionGroup var options: RequestOptions
}

struct PutCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Sends a body to store at a URL."
    )
    static let method = HttpMethod.put
    @OptionGroup var options: RequestOptions
}

struct PatchCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch",
        abstract: "Sends a partial change to a resource."
    )
    static let method = HttpMethod.patch
    @OptionGroup var options: RequestOptions
}

struct DeleteCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a resource."
    )
    static let method = HttpMethod.delete
    @OptionGroup var options: RequestOptions
}

struct OptionsCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        abstract: "Requests the communication options of a resource."
    )
    static let method = HttpMethod.options
    @OptionGroup var options: RequestOptions
}
