import Foundation
import SallyportJOSE

/// Verifies the software statements with which installations of apps register (RFC 7591, section 2.3).
final class SoftwareStatements {
    private static let type = "software-statement+jwt"
    private static let maximumLength = 16_384

    private let context: ServerContext

    init(_ context: ServerContext) {
        self.context = context
    }

    /// Returns the statement in the metadata of a client; `nil` if there is none, or no app is configured.
    ///
    /// - Parameter body: The client metadata in JSON.
    nonisolated(nonsending) func statement(in body: Data) async throws(OAuthRefusal) -> SoftwareStatement? {
        guard !context.configuration.applications.isEmpty,
            let members = try? JSONDecoder().decode([String: JsonValue].self, from: body),
            let member = members["software_statement"]
        else { return nil }
        guard let text = member.string, text.utf8.count <= Self.maximumLength,
            let token = try? JsonWebSignature(parsing: text), token.header["typ"]?.string == Self.type,
            let claims = try? token.claims()
        else { throw Self.invalid("The software statement is not a JWT of the type \(Self.type).") }
        let candidates = context.configuration.applications.filter { $0.statementIssuer == claims["iss"]?.string }
        // Apps can have the same issuer. For an unknown app, a valid signature distinguishes the error.
        let named = candidates.filter { $0.identifier == claims["software_id"]?.string }
        guard await Self.isSigned(token, byKeysOf: named.isEmpty ? candidates : named) else {
            throw Self.invalid("The software statement is not signed by a trusted key of its issuer (iss).")
        }
        let time = context.now.timeIntervalSince1970
        guard claims["exp"].map({ $0.number ?? 0 > time }) ?? true,
            ["iat", "nbf"].compactMap({ claims[$0] }).allSatisfy({ $0.number ?? .infinity <= time + 60 })
        else { throw Self.invalid("The software statement has expired, or is not valid yet (exp, iat, nbf).") }
        return try Self.statement(claims, candidates)
    }

    private static func statement(
        _ claims: [String: JsonValue],
        _ candidates: [GatewayApplication]
    ) throws(OAuthRefusal) -> SoftwareStatement {
        func word(_ name: String) throws(OAuthRefusal) -> String {
            guard let text = claims[name]?.string, AppVersions.isWord(text) else {
                throw invalid("The software statement has no valid \(name).")
            }
            return text
        }
        let identifier = try word("software_id")
        let (version, platform) = (try word("software_version"), try word("app_platform"))
        guard let application = candidates.first(where: { $0.identifier == identifier }) else {
            throw OAuthRefusal(.unapprovedSoftwareStatement, "This server does not accept the app.")
        }
        guard application.platforms.isEmpty || application.platforms.contains(platform) else {
            throw OAuthRefusal(.unapprovedSoftwareStatement, "This server does not accept the app on this platform.")
        }
        // The claims replace members of the request, so an invalid one must not be ignored.
        if let uris = claims["redirect_uris"], uris.array?.allSatisfy({ $0.string != nil }) != true {
            throw invalid("The redirect_uris of the software statement are not a list of URIs.")
        }
        if let name = claims["client_name"], name.string == nil {
            throw invalid("The client_name of the software statement is not a text.")
        }
        return SoftwareStatement(
            installation: AppInstallation(application: application, version: version, platform: platform),
            clientName: claims["client_name"]?.string,
            redirectURIs: claims["redirect_uris"]?.array?.compactMap(\.string)
        )
    }

    private static nonisolated(nonsending) func isSigned(
        _ token: JsonWebSignature,
        byKeysOf applications: [GatewayApplication]
    ) async -> Bool {
        let algorithms = Set(SignatureAlgorithm.allCases.filter { !$0.isSymmetric })
        for key in applications.flatMap(\.statementKeys.keys) {
            if (try? token.verify(with: key, allowing: algorithms)) != nil { return true }
        }
        return false
    }

    private static func invalid(_ text: String) -> OAuthRefusal { OAuthRefusal(.invalidSoftwareStatement, text) }
}

/// A verified software statement.
struct SoftwareStatement: Sendable {
    let installation: AppInstallation
    /// The name that users see; `nil` for the identifier of the app.
    let clientName: String?
    /// The URIs that browsers may be redirected to; `nil` for loopback and private-use URIs that the device registers.
    let redirectURIs: [String]?

    /// Returns the metadata of a device that has this statement. The statement takes precedence over the requested members.
    func applied(to metadata: ClientMetadata) throws(OAuthRefusal) -> ClientMetadata {
        var metadata = metadata
        let grantTypes: [GrantType] = [
            .clientCredentials, .authorizationCode, .refreshToken, .implicitAuthentication,
        ]
        guard metadata.authenticationMethod == .privateKeyJwt, metadata.keys?.keys.count == 1,
            metadata.verificationKeys.count == 1
        else {
            throw OAuthRefusal(.invalidClientMetadata, "A device needs private_key_jwt and exactly one key in jwks.")
        }
        guard metadata.grantTypes.allSatisfy({ type in grantTypes.contains { $0.rawValue == type } }) else {
            throw OAuthRefusal(
                .invalidClientMetadata,
                "A device can use only the grant types \(grantTypes.map(\.rawValue).joined(separator: ", "))."
            )
        }
        let allowed = installation.application.scopes
        let scopes = metadata.scope?.split(separator: " ").map(String.init) ?? allowed
        guard scopes.allSatisfy(allowed.contains) else {
            throw OAuthRefusal(
                .invalidClientMetadata,
                "A device of this app can register only for the scopes \(allowed.joined(separator: ", "))."
            )
        }
        // Anyone can send the public statement, so without its permission responses of browsers stay on the device.
        let requested = (redirectURIs == nil ? metadata.redirectURIs : []) + metadata.postLogoutRedirectURIs
        let web = requested.filter { $0.lowercased().hasPrefix("https:") }
        if let uri = web.first(where: { redirectURIs?.contains($0) != true }) {
            throw OAuthRefusal(
                .invalidRedirectURI,
                "The software statement does not allow the redirect URI \(uri.prefix(200)) (redirect_uris)."
            )
        }
        metadata.scope = scopes.uniqued.joined(separator: " ")
        metadata.clientName = clientName ?? installation.application.identifier
        metadata.redirectURIs = redirectURIs ?? metadata.redirectURIs
        metadata.softwareID = installation.application.identifier
        metadata.softwareVersion = installation.version
        return metadata
    }
}
