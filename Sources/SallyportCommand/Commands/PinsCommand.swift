import ArgumentParser
import Foundation
import Sallyport
import SallyportEngine
import SallyportStorage

/// Prints the pins of a server's certificate chain.
struct PinsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "Prints the pins of a server's certificate chain.",
        discussion: """
            The chain must be trusted. The first line is the server's own key, the last line the key of the root. No \
            request is sent. Use one pin with --pin, and another one as a backup.
            """
    )

    @Argument(help: ArgumentHelp("The host, with its port unless the port is 443.", valueName: "host[:port]"))
    var server: String

    @Flag(help: "Print a JSON array with an object for each certificate.")
    var json = false

    @Option(help: .resolve, transform: AddressOverride.init(argument:))
    var resolve: [AddressOverride] = []

    @OptionGroup(title: "Proxy Options")
    var proxy: ProxyOptions

    @OptionGroup(title: "TLS Options")
    var security: SecurityOptions

    func validate() throws {
        try StandardInputUses.check(proxy.standardInputUses + security.standardInputUses)
        if security.insecure {
            throw ValidationError(
                "--insecure cannot be used with pins: the pins of a server that is not verified may be another's."
            )
        }
    }

    func run() async throws {
        let url = try checkedURL()
        guard let host = URL(string: url)?.host else { throw CommandFailure(.badURL, "\(url) has no host") }
        let chain = try await chain(of: host, at: url)
        if json { return print(try JsonText.indented(chain.map { ["pin": "\($0.pin)", "subject": $0.subject] })) }
        for certificate in chain {
            print(VisibleText.line("\(certificate.pin)  \(certificate.subject)"))
        }
    }

    /// Returns the URL of the server. The argument may also be an https URL, such as one that was copied from a browser; its path is not
    /// used.
    ///
    /// - Throws: ``CommandFailure`` for an argument that is not a host.
    func checkedURL() throws(CommandFailure) -> String {
        let isURL = server.lowercased().hasPrefix("https://")
        let url = isURL ? RequestURL(server).text : "https://\(server)/"
        if !isURL, server.contains(where: { "/?#".contains($0) }) {
            let shown = VisibleText.line(Redaction.text(server), longest: 100)
            throw CommandFailure(
                .badURL,
                "\"\(shown)\" is not a host with TLS; write one such as example.com or example.com:8443"
            )
        }
        try RequestURL.check(url)
        return url
    }

    /// Connects with a pin that no key matches, so that the handshake ends after the validation of the chain.
    private func chain(of host: String, at url: String) async throws -> [PinMismatch.Certificate] {
        let found = Locked<[PinMismatch.Certificate]>([])
        let impossible = "sha256/" + Data(count: 32).base64EncodedString()
        var security = try await security.transportSecurity()
        try security.pins.pin(host, to: [impossible])
        security.pins.onMismatch = { mismatch in found.withLock { $0 = mismatch.chain } }
        let policy = try proxy.policy(try await proxy.urlWithUser())
        let client = HttpClient.createClient { config in
            config.transport = Engine(
                configuration: TransportConfiguration(
                    security: security,
                    addressOverrides: resolve,
                    proxy: policy
                )
            )
        }
        defer { client.close() }
        do throws(NetworkError) {
            _ = try await client.request(request: HttpRequest(url: url))
        } catch {
            if case .pinMismatch = error { return found.withLock { $0 } }
            var failure = error.failure
            if failure.underlying is any ReportableError { throw error }
            // No request would have been sent.
            failure.request = nil
            if failure.advice?.contains("use http ") == true {
                failure.advice = "check the port: only a server with TLS has pins"
            }
            throw CommandFailure(ExitStatus(error), failure.description)
        }
        return found.withLock { $0 }
    }
}
