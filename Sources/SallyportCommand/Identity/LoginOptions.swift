import ArgumentParser
import Foundation
import Sallyport
import SallyportJOSE

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
        help: ArgumentHelp("The client's private key in PEM, in place of a secret (private_key_jwt).", valueName: "file"),
        completion: .file()
    )
    var privateKey: String?

    @Option(help: ArgumentHelp("What the server calls the private key.", valueName: "id"))
    var keyID: String?

    @Option(help: ArgumentHelp("How the private key signs: ES256, RS256, PS256, EdDSA … (default: ES256)", valueName: "name"))
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
        for url in api where (try? HttpRequest(url: url).head()) == nil {
            throw ValidationError("--api needs the URL of a server, such as https://api.example.com.")
        }
    }

    /// The profile that these options describe.
    ///
    /// - Parameter old: The profile so far. Another server or client makes a new one.
    func profile(replacing old: Profile?, flow: Profile.Flow?) throws -> Profile {
        guard let issuer = issuer ?? old?.issuer, let clientID = clientID ?? old?.clientID else {
            throw CommandFailure(.usage, "the first login of a profile needs --issuer and --client-id")
        }
        let isSame = old?.issuer == issuer && old?.clientID == clientID
        var profile = isSame ? old : nil
        profile = profile ?? Profile(issuer: issuer, clientID: clientID, flow: .browser)
        guard var profile else { throw CommandFailure(.other) }
        if let flow { profile.flow = flow }
        if let authentication = try authentication() { profile.authentication = authentication }
        if !scope.isEmpty { profile.scopes = scope.flatMap { $0.split(separator: " ").map(String.init) } }
        if !api.isEmpty { profile.apis = api }
        if let audience { profile.audience = audience }
        if !resource.isEmpty { profile.resources = resource }
        if let dpop { profile.usesDPoP = dpop }
        if let authorities { profile.authorities = URL(fileURLWithPath: authorities).path }
        if let proxy { profile.proxy = proxy }
        return profile
    }

    /// How the client shows who it is, if that was said.
    private func authentication() throws -> Profile.Authentication? {
        if let privateKey {
            let pem = String(decoding: try InputSource.file(privateKey).data(), as: UTF8.self)
            do {
                let key = try SigningKey(pem: pem, algorithm: keyAlgorithm ?? .es256, keyID: keyID)
                return Profile.Authentication(method: "private_key_jwt", key: key)
            } catch {
                throw CommandFailure(.unreadableInput, "the key in \(privateKey) cannot be used: \(error)")
            }
        }
        guard let secret = try secret() else { return nil }
        return Profile.Authentication(
            method: secretInBody ? "client_secret_post" : "client_secret_basic",
            secret: secret
        )
    }

    private func secret() throws -> String? {
        guard let secretFile else {
            let secret = ProcessInfo.processInfo.environment["SALLYPORT_CLIENT_SECRET"] ?? ""
            return secret.isEmpty ? nil : secret
        }
        let source = secretFile == "-" ? InputSource.standardInput : .file(secretFile)
        let secret = String(decoding: try source.data(), as: UTF8.self).trimmingCharacters(in: .newlines)
        if secret.isEmpty { throw CommandFailure(.unreadableInput, "there is no secret in \(secretFile)") }
        return secret
    }
}

extension SignatureAlgorithm: ExpressibleByArgument {}
