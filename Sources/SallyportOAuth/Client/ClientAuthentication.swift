import Foundation
import Sallyport
import SallyportJOSE

/// How a client shows a server which client it is (RFC 6749, section 2.3; RFC 7523). Printing it shows no secret.
public enum ClientAuthentication: Sendable {
    /// It has no secret; apps and command lines do not.
    case none
    /// A secret in the `Authorization` header.
    case secretBasic(String)
    /// A secret in the body.
    case secretPost(String)
    /// An assertion that a key signs: `private_key_jwt`, or `client_secret_jwt` if the key is the secret.
    ///
    /// The assertion is for the issuer, as RFC 7523's revision has it; name another audience for a server that wants
    /// the URL of its token endpoint.
    case privateKeyJwt(SigningKey, audience: String? = nil)
}

extension ClientAuthentication: CustomStringConvertible, CustomReflectable {
    /// The name of the method, as registrations have it.
    public var description: String {
        switch self {
        case .none: "none"
        case .secretBasic: "client_secret_basic"
        case .secretPost: "client_secret_post"
        case .privateKeyJwt: "private_key_jwt"
        }
    }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["method": description], displayStyle: .enum) }
}

extension ClientAuthentication {
    /// The secret, if it has one.
    var secret: String? {
        switch self {
        case .secretBasic(let secret), .secretPost(let secret): secret
        case .none, .privateKeyJwt: nil
        }
    }

    /// Whether it adds the client's name to a form; a header has it otherwise.
    var namesClientInForm: Bool {
        if case .secretBasic = self { false } else { true }
    }

    /// Adds what shows who the client is to a form and its request.
    func add(
        clientID: String,
        issuer: String,
        at now: Date,
        to form: inout [(String, String)],
        of request: inout HttpRequest
    ) async throws {
        switch self {
        case .none:
            form.append(("client_id", clientID))
        case .secretBasic(let secret):
            let pair = "\(PercentEncoding.form(clientID)):\(PercentEncoding.form(secret))"
            let value = "Basic \(Data(pair.utf8).base64EncodedString())"
            request.setHeader(name: NetworkConstants.headerAuthorization, value: value, isSensitive: true)
        case .secretPost(let secret):
            form += [("client_id", clientID), ("client_secret", secret)]
        case .privateKeyJwt(let key, let audience):
            let issuedAt = Int64(now.timeIntervalSince1970)
            let claims: [String: JsonValue] = [
                "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience ?? issuer),
                "jti": .string(RandomText.make()), "iat": .integer(issuedAt), "exp": .integer(issuedAt + 60),
            ]
            form += [
                ("client_id", clientID),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", try await JsonWebSignature.sign(claims, with: key)),
            ]
        }
    }
}
