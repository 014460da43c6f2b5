import Crypto
import Foundation
import Sallyport
import SallyportJOSE

/// The client's side of a handshake, by which it agrees on the keys of a session with the server.
///
/// The pattern is NK of the Noise Protocol Framework: the client sends an ephemeral key, encrypted to the server's key, and the server
/// responds with an ephemeral key of its own. The response proves that the server has the private key. The keys of the session
/// are derived from both key agreements and both messages, so later knowledge of the server's private key does not reveal them.
package struct PayloadHandshake: Sendable {
    /// The message to the server.
    package let request: String

    private let serverKey: JsonWebKey
    private let privateKey: JsonWebKey

    /// Creates a message with a new ephemeral key.
    ///
    /// - Parameter serverKey: The server's key, as ``PayloadKey/checked(_:)`` returns it.
    package init(with serverKey: JsonWebKey) throws(JoseError) {
        let privateKey = try PayloadKey.generate(on: PayloadKey.curve(of: serverKey))
        let content = try PayloadHandshakeMessage.encode(["version": 1, "key": PayloadKey.exchanged(privateKey)])
        let request = try JsonWebEncryption.encrypt(
            content,
            to: serverKey.publicKey,
            algorithm: .ecdhEs,
            header: ["typ": .string(PayloadHandshakeMessage.requestType)]
        )
        self.init(with: serverKey, privateKey: privateKey, request: request)
    }

    /// Creates the state of a handshake from an existing message, for test vectors.
    init(with serverKey: JsonWebKey, privateKey: JsonWebKey, request: String) {
        self.serverKey = serverKey
        self.privateKey = privateKey
        self.request = request
    }

    /// Returns the session for the server's response.
    ///
    /// - Returns: The session, and the time that the server stores it, in seconds.
    /// - Throws: `JoseError` if the response is not from a server with the private key, or answers another message.
    package func session(answeredBy response: String) throws(JoseError) -> (session: PayloadSession, lifetime: Int) {
        let secrets = PayloadSecrets(
            static: try KeyAgreement(ephemeralKey: serverKey.publicKey, privateKey: privateKey),
            client: try privateKey.thumbprint(),
            server: try serverKey.thumbprint()
        )
        let message = try JsonWebEncryption(parsing: response)
        let content = try message.decrypt(
            with: secrets.responseKey(for: request),
            allowing: [.direct],
            encryptions: [.a256gcm]
        )
        let members = try PayloadHandshakeMessage.decode(content, message, type: PayloadHandshakeMessage.responseType)
        guard let key = members["key"]?.object.map(JsonWebKey.init(members:)), let id = members["session"]?.string,
            Base64Url.decode(id)?.count == PayloadSession.idLength,
            case .integer(let lifetime)? = members["expires_in"], lifetime > 0
        else { throw JoseError(.malformed, "The response to the handshake is incomplete.") }
        let ephemeral = try KeyAgreement(ephemeralKey: key, privateKey: privateKey)
        let session = try secrets.session(id, ephemeral, of: key, request: request, response: response)
        return (session, Int(clamping: lifetime))
    }
}

/// The server's side of a handshake.
package enum PayloadHandshakeAnswer {
    /// The maximum length of a message of a handshake, in bytes.
    package static let maximumLength = 16 * 1024

    /// Opens a session for a client.
    ///
    /// - Parameters:
    ///   - request: The message of the client.
    ///   - keys: The private keys of the server, as ``PayloadKey/checked(_:)`` returns them.
    ///   - lifetime: The time that the server will store the session, in seconds.
    /// - Returns: The session, and the message for the client.
    package static func make(
        to request: String,
        with keys: [JsonWebKey],
        lifetime: Int
    ) throws(PayloadRefusal) -> (session: PayloadSession, response: String) {
        guard request.utf8.count <= maximumLength, let message = try? JsonWebEncryption(parsing: request) else {
            throw .invalidHandshake
        }
        guard let key = keys.first(where: { $0.keyID == message.keyID }) else { throw .unknownKey }
        do {
            return try answer(request, message, key, lifetime: lifetime)
        } catch {
            throw .invalidHandshake
        }
    }

    private static func answer(
        _ request: String,
        _ message: JsonWebEncryption,
        _ key: JsonWebKey,
        lifetime: Int
    ) throws(JoseError) -> (session: PayloadSession, response: String) {
        let content = try message.decrypt(with: key, allowing: [.ecdhEs], encryptions: [.a256gcm])
        let members = try PayloadHandshakeMessage.decode(content, message, type: PayloadHandshakeMessage.requestType)
        guard let clientKey = members["key"]?.object.map(JsonWebKey.init(members:)) else {
            throw JoseError(.malformed, "The handshake has no key.")
        }
        let secrets = PayloadSecrets(
            static: try KeyAgreement(ephemeralKey: clientKey, privateKey: key),
            client: try clientKey.thumbprint(),
            server: try key.thumbprint()
        )
        let ephemeral = try PayloadKey.generate(on: PayloadKey.curve(of: key))
        let id = SymmetricKey(size: .bits128).withUnsafeBytes { Base64Url.encode(Data($0)) }
        let answer: [String: JsonValue] = [
            "version": 1, "key": PayloadKey.exchanged(ephemeral), "session": .string(id),
            "expires_in": .integer(Int64(lifetime)),
        ]
        let response = try JsonWebEncryption.encrypt(
            PayloadHandshakeMessage.encode(answer),
            to: secrets.responseKey(for: request),
            algorithm: .direct,
            header: ["typ": .string(PayloadHandshakeMessage.responseType)]
        )
        let agreement = try KeyAgreement(ephemeralKey: clientKey, privateKey: ephemeral)
        let session = try secrets.session(id, agreement, of: ephemeral, request: request, response: response)
        return (session, response)
    }
}

/// The content of the messages of a handshake.
private enum PayloadHandshakeMessage {
    static let requestType = "payload-handshake-request"
    static let responseType = "payload-handshake-response"

    static func encode(_ members: [String: JsonValue]) throws(JoseError) -> Data {
        do {
            return try JSONEncoder.ordered.encode(members)
        } catch {
            throw JoseError(.malformed, "The handshake cannot be encoded.")
        }
    }

    /// Returns the members of a message, after checking its type and version.
    static func decode(
        _ content: Data,
        _ message: JsonWebEncryption,
        type: String
    ) throws(JoseError) -> [String: JsonValue] {
        guard message.header["typ"]?.string == type,
            let members: [String: JsonValue] = try? JsonDocument(content).decode(),
            members["version"] == 1
        else { throw JoseError(.malformed, "The message is not a \(type) of version 1.") }
        return members
    }
}

/// The secrets of a handshake.
private struct PayloadSecrets {
    /// The secret of the client's ephemeral key and the server's static key.
    let fixed: SymmetricKey
    /// The thumbprint of the client's ephemeral key.
    let client: String

    init(static agreement: KeyAgreement, client: String, server: String) {
        fixed = agreement.deriveKey(
            algorithm: "\(PayloadFields.label) es",
            partyU: Data(client.utf8),
            partyV: Data(server.utf8)
        )
        self.client = client
    }

    /// Returns the key of the response to a request.
    func responseKey(for request: String) -> JsonWebKey {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: fixed,
            salt: Data(SHA256.hash(data: Data(request.utf8))),
            info: Data("\(PayloadFields.label) handshake response".utf8),
            outputByteCount: 32
        )
        let bytes = key.withUnsafeBytes { Data($0) }
        return JsonWebKey(members: ["kty": "oct", "k": .string(Base64Url.encode(bytes))])
    }

    /// Returns the session.
    ///
    /// - Parameters:
    ///   - id: The identifier of the session.
    ///   - agreement: The key agreement of both ephemeral keys.
    ///   - serverKey: The server's ephemeral key.
    ///   - request: The message of the client.
    ///   - response: The message of the server.
    func session(
        _ id: String,
        _ agreement: KeyAgreement,
        of serverKey: JsonWebKey,
        request: String,
        response: String
    ) throws(JoseError) -> PayloadSession {
        let ephemeral = agreement.deriveKey(
            algorithm: "\(PayloadFields.label) ee",
            partyU: Data(client.utf8),
            partyV: Data(try serverKey.thumbprint().utf8)
        )
        let secret = [fixed, ephemeral].reduce(into: Data()) { secret, key in
            key.withUnsafeBytes { secret.append(contentsOf: $0) }
        }
        let hashes = Data(SHA256.hash(data: Data(request.utf8))) + Data(SHA256.hash(data: Data(response.utf8)))
        return PayloadSession(
            id: id,
            secret: SymmetricKey(data: secret),
            transcript: Data(SHA256.hash(data: hashes))
        )
    }
}
