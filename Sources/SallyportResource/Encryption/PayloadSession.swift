import Crypto
import Foundation
import SallyportJOSE

/// A session of payload encryption, which the client and the server have agreed on in a ``PayloadHandshake``.
package struct PayloadSession: Sendable {
    /// The length of an identifier in bytes.
    static let idLength = 16

    /// The identifier, random bytes in base64url.
    package let id: String
    private let keys: Keys

    /// The keys of a session, one for each purpose.
    private struct Keys: Sendable {
        let requestHead: SymmetricKey
        let requestBody: SymmetricKey
        let responseHead: SymmetricKey
        let responseBody: SymmetricKey
    }

    /// Derives the keys of a session.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - secret: The secrets of both key agreements.
    ///   - transcript: The hash of both messages of the handshake.
    init(id: String, secret: SymmetricKey, transcript: Data) {
        self.id = id
        func key(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: secret,
                salt: transcript,
                info: Data("\(PayloadFields.label) \(purpose)".utf8),
                outputByteCount: 32
            )
        }
        keys = Keys(
            requestHead: key("request head"),
            requestBody: key("request body"),
            responseHead: key("response head"),
            responseBody: key("response body")
        )
    }

    /// Seals the head of a request.
    ///
    /// - Parameters:
    ///   - head: The head, with the fields that ``PayloadFields/seal(_:hasBody:)`` has set.
    ///   - counter: The counter, which must not have been used before.
    package func seal(_ head: PayloadRequestHead, counter: UInt64) -> (
        seal: PayloadRequestSeal, exchange: PayloadExchange
    ) {
        let context = head.context(session: id, counter: counter)
        let tag = Data(HMAC<SHA256>.authenticationCode(for: context, using: keys.requestHead))
        return (PayloadRequestSeal(session: id, counter: counter, tag: tag), exchange(context))
    }

    /// Verifies the head of a request.
    ///
    /// - Returns: `nil` if it was changed or has another session.
    package func open(_ head: PayloadRequestHead, _ seal: PayloadRequestSeal) -> PayloadExchange? {
        let context = head.context(session: seal.session, counter: seal.counter)
        guard HMAC<SHA256>.isValidAuthenticationCode(seal.tag, authenticating: context, using: keys.requestHead) else {
            return nil
        }
        return exchange(context)
    }

    private func exchange(_ context: Data) -> PayloadExchange {
        PayloadExchange(
            requestBody: PayloadBodyKey(key: keys.requestBody, context: context),
            responseHead: keys.responseHead,
            responseBody: keys.responseBody,
            request: Data(SHA256.hash(data: context))
        )
    }
}

/// One request of a session and its response.
package struct PayloadExchange: Sendable {
    /// The key of the request's body.
    package let requestBody: PayloadBodyKey

    private let responseHead: SymmetricKey
    private let responseBody: SymmetricKey
    /// The hash of the request's context.
    private let request: Data

    fileprivate init(
        requestBody: PayloadBodyKey,
        responseHead: SymmetricKey,
        responseBody: SymmetricKey,
        request: Data
    ) {
        self.requestBody = requestBody
        self.responseHead = responseHead
        self.responseBody = responseBody
        self.request = request
    }

    /// Seals the head of the response.
    ///
    /// - Parameter head: The head, with the fields that ``PayloadFields/seal(_:hasBody:)`` has set.
    /// - Returns: The value of `Payload-Encryption`, and the key of the response's body.
    package func seal(_ head: PayloadResponseHead) -> (seal: String, body: PayloadBodyKey) {
        let context = head.context(answering: request)
        let tag = Data(HMAC<SHA256>.authenticationCode(for: context, using: responseHead))
        return (PayloadResponseSeal.text(tag), PayloadBodyKey(key: responseBody, context: context))
    }

    /// Verifies the head of the response.
    ///
    /// - Parameters:
    ///   - head: The head as it was received.
    ///   - seal: The value of `Payload-Encryption`.
    /// - Returns: The key of the response's body; `nil` if the head was changed or answers another request.
    package func open(_ head: PayloadResponseHead, _ seal: String) -> PayloadBodyKey? {
        let context = head.context(answering: request)
        guard let tag = PayloadResponseSeal.tag(seal),
            HMAC<SHA256>.isValidAuthenticationCode(tag, authenticating: context, using: responseHead)
        else { return nil }
        return PayloadBodyKey(key: responseBody, context: context)
    }
}

/// The key of a body, and the context to which the body is bound.
package struct PayloadBodyKey: Sendable {
    fileprivate let key: SymmetricKey
    fileprivate let context: Data

    /// Returns an object that encrypts the body.
    package func sealer() throws(JoseError) -> StreamSealer {
        try StreamSealer(key: key, associatedData: context)
    }

    /// Returns an object that decrypts the body.
    package func opener() throws(JoseError) -> StreamOpener {
        try StreamOpener(key: key, associatedData: context)
    }

    /// Returns an encrypted body that is in memory.
    package func seal(_ body: Data) throws(JoseError) -> Data {
        var sealer = try sealer()
        sealer.append(body)
        return try sealer.finish()
    }

    /// Returns the content of an encrypted body that is in memory.
    package func open(_ body: Data) throws(JoseError) -> Data {
        var opener = try opener()
        opener.append(body)
        return try opener.finish()
    }
}

/// The lengths of encrypted bodies.
package enum PayloadBodyLength {
    /// The maximum length for ``StreamSealer/encryptedLength(of:segmentLength:)``.
    static let longest: Int64 = 1 << 62

    /// Returns the length of the content of an encrypted body; `nil` if no content has this encrypted length.
    package static func decrypted(_ encrypted: Int64) -> Int64? {
        // The length is not protected: a proxy may have replaced it by any integer.
        guard encrypted >= StreamSealer.encryptedLength(of: 0), encrypted <= longest else { return nil }
        let segmentLength = Int64(StreamSealer.defaultSegmentLength)
        let segments = (encrypted + segmentLength - 1) / segmentLength
        let length = encrypted - overhead - segments * tagLength
        return length >= 0 && StreamSealer.encryptedLength(of: length) == encrypted ? length : nil
    }

    private static let tagLength: Int64 = 16
    private static let overhead = StreamSealer.encryptedLength(of: 0) - tagLength
}
