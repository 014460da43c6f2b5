import Foundation
import Sallyport
import SallyportJOSE

/// The authentication of a client at a server (RFC 6749, section 2.3; RFC 7523). Its description contains no secret.
public enum ClientAuthentication: Sendable {
    /// No authentication, for public clients such as apps and command-line tools.
    case none
    /// A client secret in the `Authorization` header (`client_secret_basic`).
    case secretBasic(String)
    /// A client secret in the body (`client_secret_post`).
    case secretPost(String)
    /// A signed assertion: `private_key_jwt`, or `client_secret_jwt` if the key is the client secret.
    ///
    /// The default audience is the issuer, as in the revision of RFC 7523. Some servers require the URL of their token
    /// endpoint instead.
    case privateKeyJwt(SigningKey, audience: String? = nil)
}

extension ClientAuthentication: CustomStringConvertible, CustomReflectable {
    /// The name of the method in client metadata (RFC 7591).
    public var description: String {
        switch self {
        case .none: "none"
        case .secretBasic: "client_secret_basic"
        case .secretPost: "client_secret_post"
        case .privateKeyJwt: "private_key_jwt"
        }
    }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["method": description], displayStyle: .enum) }
}

extension ClientAuthentication {
    /// The client secret, if there is one.
    var secret: String? {
        switch self {
        case .secretBasic(let secret), .secretPost(let secret): secret
        case .none, .privateKeyJwt: nil
        }
    }

    /// A Boolean value that indicates whether the client identifier is sent in the form, not in the `Authorization` header.
    var addsClientIDToForm: Bool {
        if case .secretBasic = self { false } else { true }
    }

    /// Adds the client authentication to the form or the header of a request.
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
                ("client_assertion", try JsonWebSignature.sign(claims, with: key)),
            ]
        }
    }
}
