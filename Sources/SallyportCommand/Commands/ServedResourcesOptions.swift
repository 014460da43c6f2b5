import ArgumentParser
import Foundation
import Sallyport
import SallyportGateway
import SallyportOAuth

/// The options of `serve` for the resource gateway.
struct ServedResourcesOptions: ParsableArguments {
    @Flag(
        name: .customLong("identity-only"),
        help: "Serve only the identity server, without the resources below /resources."
    )
    var servesIdentityOnly = false

    @Flag(
        name: .customLong("resource-only"),
        help: "Serve only resources, for access tokens of the identity server of --introspect."
    )
    var isSeparate = false

    @Option(
        help: ArgumentHelp(
            "The introspection endpoint of the identity server, such as https://id.example.com/api/v1/token/introspect.",
            valueName: "url"
        )
    )
    var introspect: String?

    @Option(
        help: ArgumentHelp("The client that --introspect authenticates as. (default: conf)", valueName: "id")
    )
    var introspectClient: String?

    @Option(
        help: ArgumentHelp(
            "The file with the secret of that client. (default on this computer: the secret of the development server)",
            valueName: "file"
        ),
        completion: .file()
    )
    var introspectSecretFile: String?

    @Option(name: .customLong("introspect-cacert"), help: .cacert, completion: .file())
    var authorities: String?

    @Option(
        help: ArgumentHelp(
            "The scopes that resources need, and the minimum versions, in JSON, in place of those of --identity.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var resources: String?

    func validate() throws {
        if servesIdentityOnly, isSeparate || resources != nil {
            throw ValidationError("--identity-only uses neither --resource-only nor --resources.")
        }
        if isSeparate != (introspect != nil) {
            throw ValidationError("--resource-only and --introspect must be used together.")
        }
        guard let introspect else {
            if introspectClient != nil || introspectSecretFile != nil || authorities != nil {
                throw ValidationError(
                    "--introspect-client, --introspect-secret-file and --introspect-cacert need --introspect."
                )
            }
            return
        }
        if let problem = Self.problem(with: introspect) {
            throw ValidationError(
                "--introspect needs a URL such as https://id.example.com/api/v1/token/introspect: \(problem)."
            )
        }
        let isLocal = (try? Origin(of: HttpRequest(url: introspect).head()))?.isLoopback == true
        if !isLocal, introspectSecretFile == nil {
            throw ValidationError("--introspect needs --introspect-secret-file for a server on another computer.")
        }
    }

    private static func problem(with url: String) -> String? {
        let parts = URLComponents(string: url)
        if parts?.user != nil || parts?.password != nil { return "it contains credentials" }
        if parts?.fragment != nil { return "it contains a fragment" }
        return EndpointAddress.problem(with: url)
    }

    /// Returns the configuration in the file of `--resources`, if there is one.
    func configuration() throws(CommandFailure) -> ResourceServerConfiguration? {
        try ConfigurationFile.read(resources, "resources") { json throws(GatewayError) in
            try ResourceServerConfiguration(json: json)
        }
    }

    /// Returns the resource gateway that asks the identity server of `--introspect`.
    func server() async throws -> ResourceServer {
        var secret = "s3cret-conf"
        if let introspectSecretFile { secret = try await SecretInput.text(introspectSecretFile, kind: "secret") }
        let security = try TransportSecurity(authorities: authorities)
        let client = HttpClient.createClient { config in
            config.transportConfiguration.security = security
            config.cookieJar = nil
        }
        return ResourceServer(
            try configuration() ?? ResourceServerConfiguration(policies: .development),
            introspection: IntrospectionEndpoint(
                url: introspect ?? "",
                clientID: introspectClient ?? "conf",
                secret: secret,
                httpClient: client
            )
        )
    }
}

/// Prints a software statement for the app of the development server.
struct StatementCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statement",
        abstract: "Prints a software statement, with which an app registers at the development server.",
        discussion: "The key that signs it is part of Sallyport, so a server must not trust it except for development."
    )

    @Option(help: ArgumentHelp("The identifier of the app.", valueName: "name"))
    var app = "com.example.app"

    @Option(help: ArgumentHelp("The version of the app.", valueName: "version"))
    var appVersion = "1.0"

    @Option(help: ArgumentHelp("The platform of the app.", valueName: "name"))
    var platform = StandardHeaders.platform

    func validate() throws {
        for (option, value) in [("--app", app), ("--app-version", appVersion), ("--platform", platform)] {
            let isName = value.utf8.allSatisfy { $0.isAlphanumeric || ".-_".utf8.contains($0) }
            if value.isEmpty || !isName { throw ValidationError("\(option) needs letters, digits, or .-_ characters.") }
        }
    }

    func run() async throws {
        do throws(GatewayError) {
            print(try await GatewayApplication.developmentStatement(for: app, version: appVersion, platform: platform))
        } catch {
            throw CommandFailure(.other, "\(error)")
        }
    }
}
