import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// How long a registered client is known, in seconds.
    private static let lifetime: TimeInterval = 24 * 3600

    /// Makes a client of what it says of itself (RFC 7591, section 3).
    func register(_ body: Data) throws(OAuthRefusal) -> [String: JsonValue] {
        guard configuration.allowsRegistration else {
            throw OAuthRefusal(.accessDenied, "Clients cannot register here.")
        }
        var metadata: ClientMetadata
        do {
            metadata = try JSONDecoder().decode(ClientMetadata.self, from: body)
        } catch {
            throw OAuthRefusal(
                .invalidClientMetadata,
                "The body is not the JSON of a client, or names what is not known here."
            )
        }
        metadata.scope = try scope(metadata.scope)
        if let mistake = metadata.mistake(among: configuration.signatureAlgorithms) { throw mistake }
        let id = Secret.randomName()
        let time = now()
        var client = GatewayClient(id: id, metadata: metadata)
        var answer: [String: JsonValue] = ["client_id": .string(id), "client_id_issued_at": .seconds(time)]
        if [.clientSecretBasic, .clientSecretPost].contains(metadata.authenticationMethod) {
            let secret = Secret.random()
            client.secret = PasswordHash(hashingRandom: secret)
            answer["client_secret"] = .string(secret)
            answer["client_secret_expires_at"] = .seconds(time + Self.lifetime)
        }
        guard registered.insertNew(client, for: id, until: time + Self.lifetime, now: time) else {
            throw OAuthRefusal(.temporarilyUnavailable, "Too many clients have registered today.")
        }
        do {
            let members = try JSONDecoder().decode([String: JsonValue].self, from: JSONEncoder().encode(metadata))
            return answer.merging(members) { own, _ in own }
        } catch {
            throw OAuthRefusal(.serverError, "The client could not be written.")
        }
    }

    /// The scopes that are known, of those that a client asks for.
    private func scope(_ asked: String?) throws(OAuthRefusal) -> String {
        let known = knownScopes
        let scopes = asked?.split(separator: " ").map(String.init) ?? known
        guard scopes.allSatisfy(known.contains) else {
            throw OAuthRefusal(.invalidClientMetadata, "There are only the scopes \(known.joined(separator: ", ")).")
        }
        return scopes.uniqued.joined(separator: " ")
    }

    /// The scopes that some client may ask for.
    var knownScopes: [String] {
        (["openid", "profile", "email", "offline_access", "api"] + configuration.clients.flatMap(\.scopes)).uniqued
    }
}
