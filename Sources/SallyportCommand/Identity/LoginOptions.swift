import ArgumentParser
import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth

/// The options for the server and the client of a login. Omitted options have the values of the profile.
struct LoginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The issuer identifier of the server, an https URL. (default with --journey: that of the realm)",
            valueName: "url"
        )
    )
    var issuer: String?

    @Option(
        name: .customLong("client-id"),
        parsing: .unconditional,
        help: ArgumentHelp(
            "The client identifier at the server. (default with --journey on this computer: pub, of sallyport serve)",
            valueName: "id"
        )
    )
    var clientID: String?

    @Option(
        name: .customLong("client-secret-file"),
        help: ArgumentHelp(
            "The file with the client's secret, or - for standard input. (default: SALLYPORT_CLIENT_SECRET)",
            valueName: "file"
        ),
        completion: .file()
    )
    var secretFile: String?

    @Flag(name: .customLong("client-secret-post"), help: "Send the secret in the body instead of a header.")
    var secretInBody = false

    @Option(
        help: ArgumentHelp(
            "The client's private key in PEM, instead of a secret (private_key_jwt).",
            valueName: "file"
        ),
        completion: .file()
    )
    var privateKey: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The identifier of the private key at the server (kid).", valueName: "id")
    )
    var keyID: String?

    @Option(
        help: ArgumentHelp(
            "The signature algorithm of the private key. (default: depends on the type of the key)",
            valueName: "name"
        )
    )
    var keyAlgorithm: SignatureAlgorithm?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A scope to request. (repeatable; default: openid and, except with --journey, profile, email and offline_access if supported)",
            valueName: "scope"
        ),
        transform: ScopeArgument.init
    )
    var scope: [ScopeArgument] = []

    @Option(
        help: ArgumentHelp(
            "A server to send the tokens to. (repeatable; default: the server of the URL used with --auth)",
            valueName: "url"
        )
    )
    var api: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The audience of the tokens, if the server requires it.", valueName: "name")
    )
    var audience: String?

    @Option(help: ArgumentHelp("A resource that the tokens are for (RFC 8707). (repeatable)", valueName: "url"))
    var resource: [String] = []

    @Flag(inversion: .prefixedNo, help: "Bind the tokens to a key of this login (DPoP).")
    var dpop: Bool?

    @Option(
        help: ArgumentHelp(
            "A token type that means Bearer at this server; none if it sends no type. (repeatable)",
            valueName: "type"
        )
    )
    var tokenType: [String] = []

    @Option(
        help: ArgumentHelp(
            "The allowed difference between the clocks of the server and this computer. (default: 60)",
            valueName: "seconds"
        )
    )
    var clockSkew: Double?

    @Option(
        help: ArgumentHelp(
            "The issuer of a server with several tenants, as in its metadata, with {tenantid} for the tenant; empty for none.",
            valueName: "url"
        )
    )
    var issuerTemplate: String?

    @Option(name: .customLong("cacert"), help: .cacert, completion: .file())
    var authorities: String?

    @Option(help: ArgumentHelp("A proxy to the server, as for requests; empty for none.", valueName: "url"))
    var proxy: String?

    func validate() throws {
        if secretFile != nil, privateKey != nil {
            throw ValidationError("Only one of --client-secret-file and --private-key can be used.")
        }
        if clientID?.isEmpty == true { throw ValidationError("--client-id needs the identifier of a client.") }
        if privateKey == nil, keyID != nil || keyAlgorithm != nil {
            throw ValidationError("--\(keyID != nil ? "key-id" : "key-algorithm") needs --private-key.")
        }
        if let clockSkew, !(0...86_400).contains(clockSkew) {
            throw ValidationError("--clock-skew needs a number of seconds from 0 to 86400.")
        }
        if let issuerTemplate, !issuerTemplate.isEmpty, IssuerTemplate(issuerTemplate) == nil {
            throw ValidationError(
                "--issuer-template needs a URL with {tenantid}, such as https://login.example.com/{tenantid}/v2.0."
            )
        }
        let urls =
            api.map { ("--api", $0, "https://api.example.com") } + [("--issuer", issuer, "https://id.example.com")]
        for (name, url, example) in urls {
            guard let url, let problem = EndpointAddress.problem(with: url) else { continue }
            throw ValidationError("\(name) needs a URL such as \(example), because tokens are sent there: \(problem).")
        }
    }

    /// Returns the profile that these options describe. Reads the client's secret or private key.
    ///
    /// - Parameters:
    ///   - old: The previous profile. Its other settings are used if the server and the client are the same.
    ///   - flow: The options for the flow.
    ///   - journey: The options for a login by an authentication tree.
    func profile(replacing old: Profile?, flow: FlowOptions, journey: JourneyOptions) async throws -> Profile {
        let settings = try await journeySettings(replacing: old, flow: flow, journey: journey)
        guard let issuer = try chosenIssuer(settings, replacing: old),
            let clientID = chosenClientID(settings, at: issuer, replacing: old)
        else {
            let needed = settings == nil ? "--issuer and --client-id" : "--client-id"
            throw CommandFailure(.usage, "the first login of a profile needs \(needed)")
        }
        var profile = Profile(issuer: issuer, clientID: clientID, flow: .browser)
        if let old, old.isSameClient(as: profile) { profile = old }
        if let flow = flow.flow { profile.flow = flow }
        if settings != nil { profile.flow = .journey }
        profile.journey = settings
        if let authentication = try await authentication(replacing: profile.authentication) {
            profile.authentication = authentication
        }
        if !scope.isEmpty { profile.scopes = scope.flatMap(\.scopes) }
        if !api.isEmpty { profile.apis = api }
        if let audience { profile.audience = audience }
        if !resource.isEmpty { profile.resources = resource }
        if let dpop { profile.usesDPoP = dpop }
        if !tokenType.isEmpty { profile.tokenTypes = tokenType }
        if let clockSkew { profile.clockSkew = clockSkew }
        if let issuerTemplate { profile.issuerTemplate = issuerTemplate.isEmpty ? nil : issuerTemplate }
        if let authorities { profile.authorities = URL(fileURLWithPath: authorities).path }
        if let proxy { profile.proxy = proxy }
        return profile
    }

    /// Returns the settings of a login by an authentication tree; `nil` for other flows.
    private func journeySettings(
        replacing old: Profile?,
        flow: FlowOptions,
        journey: JourneyOptions
    ) async throws -> Profile.JourneySettings? {
        let isPrevious = flow.flow == nil && old?.flow == .journey && (issuer ?? old?.issuer) == old?.issuer
        guard journey.selectsFlow || flow.flow == .journey || isPrevious else { return nil }
        let client = try HttpClient.createClient { config in
            try config.reachServer(authorities: authorities ?? old?.authorities, proxy: proxy ?? old?.proxy)
        }
        defer { client.close() }
        return try await journey.settings(replacing: old?.journey, redirectURI: flow.redirectURI, client: client)
    }

    private func chosenIssuer(_ settings: Profile.JourneySettings?, replacing old: Profile?) throws -> String? {
        if let issuer { return issuer }
        guard let settings, !settings.hasSameSessions(as: old?.journey) else { return old?.issuer }
        return try settings.standardIssuer
    }

    private func chosenClientID(_ settings: Profile.JourneySettings?, at issuer: String, replacing old: Profile?)
        -> String?
    {
        if let clientID { return clientID }
        if old?.issuer != issuer, let clientID = settings?.developmentClientID { return clientID }
        return old?.clientID
    }

    /// Returns the method by which the client authenticates; `nil` if no option specifies it.
    private func authentication(replacing old: Profile.Authentication) async throws -> Profile.Authentication? {
        if let privateKey {
            return Profile.Authentication(method: "private_key_jwt", key: try await signingKey(in: privateKey))
        }
        guard let secret = try await secret() ?? (secretInBody ? old.secret : nil) else {
            if secretInBody {
                throw CommandFailure(
                    .usage,
                    "--client-secret-post needs a secret; specify it with --client-secret-file"
                )
            }
            return nil
        }
        return Profile.Authentication(
            method: secretInBody ? "client_secret_post" : "client_secret_basic",
            secret: secret
        )
    }

    /// Returns the private key, for the algorithm of `--key-algorithm` or the first algorithm that it supports.
    private func signingKey(in file: String) async throws -> SigningKey {
        let pem = try await SecretInput.text(file, kind: "private key")
        let algorithms = keyAlgorithm.map { [$0] } ?? [.es256, .es384, .es512, .rs256, .edDSA]
        if let key = algorithms.lazy.compactMap({ try? SigningKey(pem: pem, algorithm: $0, keyID: keyID) }).first {
            return key
        }
        let names = algorithms.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.unreadableInput, "the file \(file) contains no unencrypted PEM private key for \(names)")
    }

    private func secret() async throws -> String? {
        guard let secretFile else {
            let secret = ProcessInfo.processInfo.environment["SALLYPORT_CLIENT_SECRET"] ?? ""
            return secret.isEmpty ? nil : secret
        }
        return try await SecretInput.text(secretFile, kind: "secret")
    }
}

extension SignatureAlgorithm: ExpressibleByArgument {
    /// The names of the algorithms that use a private key.
    public static var allValueStrings: [String] {
        allCases.filter { !$0.isSymmetric }.map(\.rawValue)
    }

    /// Parses the name of an algorithm that uses a private key.
    public init?(argument: String) {
        guard Self.allValueStrings.contains(argument) else { return nil }
        self.init(rawValue: argument)
    }
}
