import ArgumentParser
import Sallyport

/// A subcommand that sends one request.
protocol RequestCommand: AsyncParsableCommand {
    /// The method of the request.
    static var method: HttpMethod { get }

    /// All that can be said about the request and its response.
    var options: RequestOptions { get }
}

extension RequestCommand {
    func run() async throws {
        let options = options
        try await Interruption.cancelling {
            let call = try await Call(method: Self.method, options)
            if options.output.curl { try await call.printCurl() } else { try await call.run() }
        }
    }
}
