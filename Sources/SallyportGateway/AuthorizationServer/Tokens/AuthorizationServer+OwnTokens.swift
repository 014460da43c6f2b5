import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// The scopes that say something of a person, which a client that acts for itself cannot have.
    private static let personal: Set<String> = ["openid", "profile", "email", "offline_access"]

    /// Gives a client a token for itself (RFC 6749, section 4.4). Scopes that are about a person are left out, as long as
    /// there are others.
    func giveToClient(_ call: TokenCall) async throws(OAuthRefusal) -> [String: JsonValue] {
        let allowed = call.client.scopes.filter { !Self.personal.contains($0) }
        let scopes = try call.scopes(among: call.client.scopes, default: allowed).filter(allowed.contains)
        guard !scopes.isEmpty else {
            throw OAuthRefusal(.invalidScope, "None of the scopes can be had without a person.")
        }
        let id = call.client.id
        let grant = Grant(id: Secret.randomName(), clientID: id, username: nil, subject: id, scopes: scopes)
        begin(grant)
        return try await tokens(grant, call, scopes: scopes, refreshToken: nil)
    }
}
