import Crypto
import Foundation
import Sallyport
import SallyportJOSE
import SallyportTransport

/// The domain that a passkey is for, and the origin of the server that requests it (WebAuthn, sections 5.1.3 and 5.1.4).
struct RelyingParty {
    /// The domain.
    let id: String
    /// The origin in normalized form, such as `https://id.example.com`.
    let origin: String

    /// Checks that a domain belongs to an origin.
    ///
    /// - Parameters:
    ///   - id: The host of the origin, or a domain above it that is not a public suffix.
    ///   - origin: The origin: `https`, or `http` with a loopback host.
    /// - Throws: ``AuthenticatorError`` with the reason ``AuthenticatorError/Reason/otherOrigin``,
    ///   ``AuthenticatorError/Reason/insecureOrigin`` or ``AuthenticatorError/Reason/invalidRequest``.
    init(_ id: String, origin: String) throws(AuthenticatorError) {
        guard let head = try? HttpRequest(url: origin).head(), let parsed = try? Origin(of: head),
            let normalized = try? HttpRequest(url: origin).origin()
        else { throw AuthenticatorError(.invalidRequest, "the origin of the server is not an http or https URL") }
        guard parsed.scheme == .https || parsed.isLoopback else {
            throw AuthenticatorError(
                .insecureOrigin,
                "passkeys are not used with \(normalized), because it is plain http to another computer",
                advice: "use https"
            )
        }
        let id = id.lowercased()
        guard Self.isDomain(id, of: parsed.host) else {
            throw AuthenticatorError(
                .otherOrigin,
                "the passkey is requested for \"\(VisibleText.line(id, longest: 253))\", which \(normalized) does not belong to",
                advice: "do not continue; the server may be passing on the request of another server"
            )
        }
        self.id = id
        self.origin = normalized
    }

    /// Returns a Boolean value that indicates whether a server may use the passkeys of a domain: its own host, or a domain above it
    /// that is not a public suffix (WebAuthn, section 5.1.3).
    ///
    /// - Parameters:
    ///   - id: The domain in lower case.
    ///   - host: The host of the server in lower case. An address belongs to no domain.
    private static func isDomain(_ id: String, of host: String) -> Bool {
        if id == host { return true }
        // A host that ends with a number is an address (WHATWG URL, section 3.5).
        let isAddress = host.contains(":") || host.split(separator: ".").last?.allSatisfy(\.isNumber) == true
        return host.hasSuffix("." + id) && !isAddress && !id.isEmpty && !PublicSuffixes.builtIn.isPublicSuffix(id)
    }

    /// Returns the client data (WebAuthn, section 5.8.1), serialized as section 5.8.1.1 requires.
    ///
    /// - Parameter type: `webauthn.create` or `webauthn.get`.
    func clientData(_ type: String, challenge: Data) -> Data {
        // None of the values contains characters to escape: an origin in normalized form is ASCII without quotation marks.
        let challenge = Base64Url.encode(challenge)
        return Data(
            #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)","crossOrigin":false}"#.utf8
        )
    }

    /// Returns the authenticator data (WebAuthn, section 6.1).
    ///
    /// - Parameters:
    ///   - isVerified: A Boolean value that indicates whether the user was verified. The user was present in any case.
    ///   - signatureCount: The signature counter of the passkey.
    ///   - credential: The new passkey; `nil` for a signature with an existing one.
    func authenticatorData(
        isVerified: Bool,
        signatureCount: UInt32,
        credential: Passkey? = nil
    ) throws(AuthenticatorError) -> Data {
        let flags: UInt8 = 0x01 | (isVerified ? 0x04 : 0) | (credential == nil ? 0 : 0x40)
        var data = Data(SHA256.hash(data: Data(id.utf8))) + [flags]
        data += withUnsafeBytes(of: signatureCount.bigEndian) { Data($0) }
        guard let credential else { return data }
        // The identifier of the model is zero, as the format "none" requires.
        data += Data(count: 16)
        data += withUnsafeBytes(of: UInt16(credential.id.count).bigEndian) { Data($0) }
        return try data + credential.id + credential.publicKey()
    }
}
