import Foundation
import SallyportJOSE

/// The kind of a request of an authenticator app (`_action`).
enum AuthenticatorAction: String, Sendable {
    case register, authenticate, refresh
}

/// The body of a request of an authenticator app.
struct AuthenticatorRequest: Sendable {
    let messageID: String?
    let mechanismUID: String?
    /// The claims, signed with the secret of the device.
    private let token: String

    /// Parses the body.
    ///
    /// - Throws: Status 400 if it is not JSON with a `jwt`.
    init(_ body: Data) throws(JourneyRefusal) {
        guard let members = [String: JsonValue](json: body), let token = members["jwt"]?.string
        else { throw .badRequest("The body is not a JSON object with a jwt.") }
        self.token = token
        messageID = members["messageId"]?.string
        mechanismUID = members["mechanismUid"]?.string
    }

    /// Returns the claims if they are signed with a secret by HS256.
    nonisolated(nonsending) func claims(signedWith secret: Data) async throws(JourneyRefusal) -> [String: JsonValue] {
        do {
            let signature = try JsonWebSignature(parsing: token)
            guard let key = try SigningKey(secret: secret).privateJsonWebKey else {
                throw JoseError(.key, "The secret cannot be read.")
            }
            try signature.verify(with: key, allowing: [.hs256])
            return try signature.claims()
        } catch {
            throw .badRequest("The jwt is not signed with the secret of the device.")
        }
    }
}
