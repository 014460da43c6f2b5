import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// The scopes that say something of a person, which a client that acts for itself cannot have.
    private static let personal: Set<String> = ["openid", "profile", "email", "offline_access"]

    /// Gives a client a token for itself (RFC 6749, section 4.4).
    func giveToClient(_ call: TokenCall) async throws(OAuthRefusal) -> [String: JsonValue] {
        let allowed = call.client.scopes.filter { !Self.personal.contains($0) }
        let scopes = try call.scopes(among: allowed, default: allowed)
        let id = call.client.id
        let grant = Grant(id: Secret.randomName(), clientID: id, username: nil, subject: id, scopes: scopes)
        begin(grant)
        return try await tokens(grant, call, scopes: scopes, refreshToken: nil)
    }
}
