import ArgumentParser
import Foundation
import Sallyport
import SallyportGateway
import SallyportStorage

/// Runs the development server until it is interrupted.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs a development server until it is interrupted.",
        usage: """
            sallyport serve [<options>]
            sallyport serve <subcommand>
            """,
        discussion: """
            The path / lists the routes, the accounts and commands to try; open it in a browser. The certificate authority for TLS is \
            created at each start. Routes for testing clients, such as /echo, are at a port of their own.

            The server is also an authorization server (OAuth 2, OpenID Connect). Without --identity, it has the user alice \
            with the password wonderland, and the clients pub (public) and conf with the secret s3cret-conf. Docs/identity.md describes \
            the format of --identity, and `sallyport serve example-identity` prints an example.

            Users can also sign in by authentication trees, at PingAM's paths. Without --trees, there are trees for trying each kind of \
            node, such as Login. Docs/trees.md describes the format of --trees.

            Apps can register as devices with a software statement, such as one of `sallyport serve statement`, and call the \
            resources below /resources with their tokens. --identity-only and --resource-only run the identity server and the \
            resource gateway as two processes. Docs/resource-server.md describes the requests.

            The server answers requests for --host, the issuer's host, the IP address that a client has connected to and, \
            on loopback, localhost and its subdomains. Requests for other hosts get status 421, unless --allow-host names \
            the host.
            """,
        subcommands: [ExampleIdentityCommand.self, HashPasswordCommand.self, StatementCommand.self]
    )

    @Option(name: .shortAndLong, help: "The port to listen on; 0 selects a free port.")
    var port = 0

    @Option(
        help: """
            The port of the routes for testing clients, such as /echo. They have an origin of their own, because they set cookies and \
            redirect. (default: a free one)
            """
    )
    var testPort: Int?

    @Option(help: "The host name or address to listen on.")
    var host = "127.0.0.1"

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "An additional host to answer requests for; *.host and **.host are patterns. (repeatable)",
            valueName: "host"
        ),
        transform: Self.hostPattern
    )
    var allowedHosts: [HostPattern] = []

    @Flag(inversion: .prefixedNo, help: "Use TLS, or plain HTTP.")
    var tls = true

    @Flag(inversion: .prefixedNo, help: "Accept HTTP/2 over TLS, or only HTTP/1.1.")
    var http2 = true

    @Option(
        help: ArgumentHelp(
            "The file to write the certificate of the authority to. (default: a temporary file)",
            valueName: "file"
        ),
        completion: .file()
    )
    var caFile: String?

    @OptionGroup(title: "Payload Encryption Options")
    var payloads: ServedPayloadOptions

    @Option(
        help: ArgumentHelp(
            "The users and clients in JSON, such as the file that `sallyport serve example-identity` prints.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var identity: String?

    @Option(
        help: ArgumentHelp("The authentication trees in JSON, in place of those of --identity.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var trees: String?

    @OptionGroup(title: "Resource Options")
    var resources: ServedResourcesOptions

    func validate() throws {
        if resources.isSeparate, identity != nil || trees != nil {
            throw ValidationError("--resource-only uses neither --identity nor --trees.")
        }
        if !(0...65_535).contains(port) { throw ValidationError("--port needs a number from 0 to 65535.") }
        if let testPort, !(0...65_535).contains(testPort) || testPort == port && port != 0 {
            throw ValidationError("--test-port needs a number from 0 to 65535 other than that of --port.")
        }
        if testPort != nil, resources.servesIdentityOnly || resources.isSeparate {
            throw ValidationError("--identity-only and --resource-only have no test routes; omit --test-port.")
        }
        if !tls, caFile != nil { throw ValidationError("--ca-file needs TLS.") }
    }

    func run() async throws {
        guard #available(macOS 14, *) else { throw CommandFailure(.other, "the server needs macOS 14 or later") }
        var gateway = GatewayConfiguration(host: host, port: port)
        gateway.allowedHosts = allowedHosts
        gateway.allowsHTTP2 = http2
        gateway.payloadEncryption = try payloads.encryption()
        let authority = try tls ? DevelopmentAuthority() : nil
        let authorityFile = try tls ? checkedAuthorityFile() : nil
        defer { if caFile == nil, let authorityFile { unlink(authorityFile) } }
        if let authority { gateway.tls = .developmentAuthority(authority) }
        gateway.hasTestRoutes = !resources.servesIdentityOnly && !resources.isSeparate
        gateway.testPort = testPort ?? 0
        if resources.isSeparate {
            gateway.resourceServer = try await resources.server()
        } else {
            gateway.authorizationServer = try authorizationServer()
        }
        gateway.suggestedCommands = { [gateway, authorityFile] baseURL, testURL in
            Self.commands(for: gateway, at: baseURL, testURL: testURL, authorityFile: authorityFile)
        }
        let failure = Locked<CommandFailure?>(nil)
        let hangUps = [SIGHUP, SIGQUIT].compactMap { Interruption.forward($0, as: SIGTERM) }
        defer { for source in hangUps { source.cancel() } }
        do {
            try await Gateway(configuration: gateway) { [gateway] address in
                // Another server could use the port and the file, so the file is written only now.
                if let authority, let authorityFile, let problem = Self.problem(writing: authority, to: authorityFile) {
                    failure.withLock { $0 = problem }
                    kill(getpid(), SIGTERM)
                    return
                }
                print(address.baseURL)
                let testURL = gateway.hasTestRoutes ? address.testURL : nil
                if let testURL { print("Test routes: \(testURL)") }
                for command in gateway.suggestedCommands(address.baseURL, testURL) { print("Try: \(command)") }
                print("Press Control-C to stop.")
                fflush(nil)
            }.runUntilSignal()
        } catch let error as GatewayError {
            throw CommandFailure(.connectionFailed, "\(error)")
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    private static func hostPattern(_ argument: String) throws -> HostPattern {
        do throws(NetworkError) {
            return try HostPattern(argument)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private func authorizationServer() throws(CommandFailure) -> AuthorizationServer {
        let resources = try resources.configuration()
        let trees = try ConfigurationFile.read(trees, "trees") { json throws(GatewayError) in
            try JourneyTrees(json: json)
        }
        let context = self.trees.map { " with --trees \($0)" } ?? ""
        let identity = try ConfigurationFile.read(identity, "identity", context) { json throws(GatewayError) in
            try AuthorizationServerConfiguration(json: json, trees: trees)
        }
        do throws(GatewayError) {
            var configuration = if let identity { identity } else { try AuthorizationServerConfiguration.development() }
            if identity == nil, let trees {
                configuration.trees = trees
                if let name = configuration.stepUpTree, !trees.names.contains(name) { configuration.stepUpTree = nil }
            }
            if let resources {
                configuration.resourcePolicies = resources.policies
                configuration.minimumVersions = resources.minimumVersions
            }
            if self.resources.servesIdentityOnly { configuration.resourcePolicies = [] }
            return try AuthorizationServer(configuration)
        } catch {
            throw CommandFailure(.other, "the authorization server cannot be created: \(error)")
        }
    }

    /// Returns the file for the certificate of the authority, which is written when the port is open.
    ///
    /// - Throws: A failure if its folder does not exist, or no file can be created there.
    private func checkedAuthorityFile() throws(CommandFailure) -> String {
        let temporary = FileManager.default.temporaryDirectory.appendingPathComponent("sallyport-ca-\(getpid()).pem")
        guard let caFile else { return temporary.path }
        try WriteFailure.checkFolder(of: "the CA file", caFile)
        if FileNames.isFolder(caFile) { throw WriteFailure.of("the CA file", caFile, EISDIR) }
        return caFile
    }

    private static func problem(writing authority: DevelopmentAuthority, to path: String) -> CommandFailure? {
        do {
            try authority.write(certificateTo: path)
            return nil
        } catch {
            return WriteFailure.of("the CA file", path, error)
        }
    }

    /// Returns commands that call a gateway.
    ///
    /// - Parameters:
    ///   - gateway: The configuration of the gateway.
    ///   - baseURL: The base URL of the gateway.
    ///   - testURL: The base URL of its test routes; `nil` if there are none.
    ///   - authorityFile: The file with the certificate of its authority; `nil` for plain HTTP.
    private static func commands(
        for gateway: GatewayConfiguration,
        at baseURL: String,
        testURL: String?,
        authorityFile: String?
    ) -> [String] {
        let trust = authorityFile.map { ["--cacert", $0] } ?? []
        var commands: [[String]] = []
        if let testURL { commands.append(["get", testURL + "/echo"]) }
        if let policy = gateway.resourceServer?.configuration.policies.first(where: { $0.scope == nil }) {
            commands.append(["get", baseURL + "/resources" + policy.path])
        }
        let identity = gateway.authorizationServer?.configuration
        if let client = identity?.clients.first(where: \.signsInByCommand) {
            let trees = identity?.trees.names ?? []
            commands.append(["login", "--issuer", baseURL, "--client-id", client.id])
            commands.append(["get", baseURL + "/userinfo", "--auth"])
            if let tree = trees.contains("Login") ? "Login" : trees.first, client.impliesConsent {
                // Logins by journey use the client pub of this computer's server by default.
                let option = client.id == "pub" ? [] : ["--client-id", client.id]
                commands.append(["login", "--journey", tree, "--server", baseURL] + option)
            }
        }
        return commands.map { words in
            (["sallyport"] + words + trust).map(ShellText.quoted).joined(separator: " ")
        }
    }
}

extension GatewayClient {
    /// A Boolean value that indicates whether the command `login` can use the client without a secret.
    fileprivate var signsInByCommand: Bool {
        metadata.authenticationMethod == .none && metadata.grantTypes.contains("authorization_code")
            && metadata.redirectURIs.contains { $0.hasPrefix("http://127.0.0.1/") }
    }
}

/// Hashes a password for the configuration of `serve --identity`.
struct HashPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash-password",
        abstract: "Reads a password from standard input, and prints its hash for --identity."
    )

    @Option(help: "The binary logarithm of scrypt's cost parameter, 1 to 16. Each step doubles time and memory.")
    var cost = 14

    func validate() throws {
        if !(1...16).contains(cost) { throw ValidationError("--cost needs a number from 1 to 16.") }
    }

    func run() async throws {
        let cost = cost
        try await Interruption.cancelOnSignal {
            guard let password = try await TerminalPrompt.line(asking: "Password: ", isHidden: true), !password.isEmpty
            else {
                throw CommandFailure(.usage, "there is no password on standard input")
            }
            let hash = try await runAbandonable {
                do throws(GatewayError) {
                    return try PasswordHash(hashing: password, cost: cost)
                } catch {
                    throw CommandFailure(.usage, "\(error)")
                }
            }
            print(hash.text)
        }
    }
}
