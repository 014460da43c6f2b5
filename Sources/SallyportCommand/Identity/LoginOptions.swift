import ArgumentParser
import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth

/// Which server, and as which client. What is not said is as the profile has it.
struct LoginOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's name, an https URL.", valueName: "url"))
    var issuer: String?

    @Option(name: .customLong("client-id"), help: ArgumentHelp("What the client is called there.", valueName: "id"))
    var clientID: String?

    @Option(
        name: .customLong("client-secret-file"),
        help: ArgumentHelp(
            "The file of the client's secret, or - for standard input; SALLYPORT_CLIENT_SECRET has it too.",
            valueName: "file"
        ),
        completion: .file()
    )
    var secretFile: String?

    @Flag(name: .customLong("client-secret-post"), help: "Send the secret in the body, not in a header.")
    var secretInBody = false

    @Option(
        help: ArgumentHelp(
            "The client's private key in PEM, in place of a secret (private_key_jwt).",
            valueName: "file"
        ),
        completion: .file()
    )
    var privateKey: String?

    @Option(help: ArgumentHelp("What the server calls the private key.", valueName: "id"))
    var keyID: String?

    @Option(
        help: ArgumentHelp(
            "How the private key signs. (default: by its kind)",
            valueName: "name"
        )
    )
    var keyAlgorithm: SignatureAlgorithm?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A scope to ask for. (repeatable; default: openid, and profile, email and offline_access if offered)",
            valueName: "scope"
        )
    )
    var scope: [String] = []

    @Option(
        help: ArgumentHelp(
            "A server that may see the tokens. (repeatable; default: the one beside --auth)",
            valueName: "url"
        )
    )
    var api: [String] = []

    @Option(help: ArgumentHelp("The API that the tokens are for, for servers that ask.", valueName: "name"))
    var audience: String?

    @Option(help: ArgumentHelp("The same by RFC 8707. (repeatable)", valueName: "url"))
    var resource: [String] = []

    @Flag(inversion: .prefixedNo, help: "Bind the tokens to a key of this login (DPoP).")
    var dpop: Bool?

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the authorities in a file of PEM certificates, and no others.", valueName: "file"),
        completion: .file()
    )
    var authorities: String?

    @Option(help: ArgumentHelp("A proxy on the way to the server, as for requests.", valueName: "url"))
    var proxy: String?

    func validate() throws {
        if secretFile != nil, privateKey != nil {
            throw ValidationError("Only one of --client-secret-file and --private-key can be used.")
        }
        if privateKey == nil, keyID != nil || keyAlgorithm != nil {
            throw ValidationError("--\(keyID != nil ? "key-id" : "key-algorithm") goes with --private-key.")
        }
        let urls =
            api.map { ("--api", $0, "https://api.example.com") } + [("--issuer", issuer, "https://id.example.com")]
        for (name, url, example) in urls {
            guard let url, let problem = EndpointAddress.problem(with: url) else { continue }
            throw ValidationError("\(name) needs a URL such as \(example), as tokens go there: \(problem).")
        }
    }

    /// Returns the profile that these options describe. It reads the client's secret or private key.
    ///
    /// - Parameter old: The profile so far. Another server or client makes a new one.
    func profile(replacing old: Profile?, flow: Profile.Flow?) async throws -> Profile {
        guard let issuer = issuer ?? old?.issuer, let clientID = clientID ?? old?.clientID else {
            throw CommandFailure(.usage, "the first login of a profile needs --issuer and --client-id")
        }
        var profile = Profile(issuer: issuer, clientID: clientID, flow: .browser)
        if let old, old.isSameClient(as: profile) { profile = old }
        if let flow { profile.flow = flow }
        if let authentication = try await authentication(replacing: profile.authentication) {
            profile.authentication = authentication
        }
        if !scope.isEmpty { profile.scopes = scope.flatMap { $0.split(separator: " ").map(String.init) } }
        if !api.isEmpty { profile.apis = api }
        if let audience { profile.audience = audience }
        if !resource.isEmpty { profile.resources = resource }
        if let dpop { profile.usesDPoP = dpop }
        if let authorities { profile.authorities = URL(fileURLWithPath: authorities).path }
        if let proxy { profile.proxy = proxy }
        return profile
    }

    /// Returns the method by which the client authenticates; `nil` if the options name none.
    private func authentication(replacing old: Profile.Authentication) async throws -> Profile.Authentication? {
        if let privateKey {
            return Profile.Authentication(method: "private_key_jwt", key: try await signingKey(in: privateKey))
        }
        guard let secret = try await secret() ?? (secretInBody ? old.secret : nil) else {
            if secretInBody {
                throw CommandFailure(.usage, "--client-secret-post needs a secret: give it with --client-secret-file")
            }
            return nil
        }
        return Profile.Authentication(
            method: secretInBody ? "client_secret_post" : "client_secret_basic",
            secret: secret
        )
    }

    /// Returns the private key, for the algorithm that was named or the first that fits it.
    private func signingKey(in file: String) async throws -> SigningKey {
        let pem = try await SecretInput.text(file, what: "private key")
        let algorithms = keyAlgorithm.map { [$0] } ?? [.es256, .es384, .es512, .rs256, .edDSA]
        if let key = algorithms.lazy.compactMap({ try? SigningKey(pem: pem, algorithm: $0, keyID: keyID) }).first {
            return key
        }
        let names = algorithms.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.unreadableInput, "the file \(file) has no private key in PEM, unencrypted, for \(names)")
    }

    private func secret() async throws -> String? {
        guard let secretFile else {
            let secret = ProcessInfo.processInfo.environment["SALLYPORT_CLIENT_SECRET"] ?? ""
            return secret.isEmpty ? nil : secret
        }
        return try await SecretInput.text(secretFile, what: "secret")
    }
}

extension SignatureAlgorithm: ExpressibleByArgument {
    /// Those that a private key in PEM can be for.
    public static var allValueStrings: [String] {
        allCases.filter { ![.hs256, .hs384, .hs512].contains($0) }.map(\.rawValue)
    }

    /// Reads the name of one of these.
    public init?(argument: String) {
        guard Self.allValueStrings.contains(argument) else { return nil }
        self.init(rawValue: argument)
    }
}
