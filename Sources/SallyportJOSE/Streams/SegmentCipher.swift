import Crypto
import Foundation

/// Encrypts or decrypts the segments of a message one after another, each with its own nonce.
///
/// See ``StreamSealer`` for the format.
struct SegmentCipher {
    /// The random values at the start of a message.
    struct Header {
        static let length = 1 + saltLength + noncePrefixLength
        private static let saltLength = 32
        fileprivate static let noncePrefixLength = 7

        let salt: Data
        let noncePrefix: Data

        /// Generates a header.
        init() {
            salt = Self.random(Self.saltLength)
            noncePrefix = Self.random(Self.noncePrefixLength)
        }

        /// Parses a header; `nil` if the bytes are not one.
        init?(_ bytes: Data) {
            guard bytes.count == Self.length, bytes.first == UInt8(Self.length) else { return nil }
            salt = Data(bytes.dropFirst().prefix(Self.saltLength))
            noncePrefix = Data(bytes.suffix(Self.noncePrefixLength))
        }

        var bytes: Data { [UInt8(Self.length)] + salt + noncePrefix }

        private static func random(_ count: Int) -> Data {
            SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Data($0) }
        }
    }

    static let tagLength = 16
    private static let nonceLength = 12
    static let allowedSegmentLengths = 64...1024 * 1024
    static let maximumSegments: UInt64 = 1 << 32

    private let key: SymmetricKey
    /// The nonce prefix, followed by zeros instead of the number of the segment and the mark of the last one.
    private let paddedNoncePrefix: Data
    private let segmentLength: Int
    private let maximumSegments: UInt64
    /// The number of segments that have been encrypted or decrypted.
    private var count: UInt64 = 0

    init(
        _ parameters: StreamParameters,
        header: Header,
        maximumSegments: UInt64 = SegmentCipher.maximumSegments
    ) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: parameters.key,
            salt: header.salt,
            info: parameters.associatedData,
            outputByteCount: 32
        )
        paddedNoncePrefix = header.noncePrefix + Data(count: Self.nonceLength - Header.noncePrefixLength)
        segmentLength = parameters.segmentLength
        self.maximumSegments = maximumSegments
    }

    /// The maximum length of the next encrypted segment. The first one is shorter, as it follows the header.
    var nextLength: Int { count == 0 ? segmentLength - Header.length : segmentLength }

    /// The maximum length of the content of the next segment.
    var nextContentLength: Int { nextLength - Self.tagLength }

    /// Encrypts the next segment.
    ///
    /// - Returns: The ciphertext and the tag, as a slice of the memory into which they were written.
    mutating func seal(_ content: Data, isLast: Bool) throws(JoseError) -> Data {
        guard count < maximumSegments else {
            throw JoseError(.tooLarge, "The message has more than \(maximumSegments) segments.")
        }
        let box = try? AES.GCM.seal(content, using: key, nonce: AES.GCM.Nonce(data: nextNonce(isLast: isLast)))
        guard let combined = box?.combined else {
            throw JoseError(.key, "The content cannot be encrypted with the key.")
        }
        count += 1
        return combined.dropFirst(Self.nonceLength)
    }

    /// Decrypts the next segment, and returns its content.
    mutating func open(_ segment: Data, isLast: Bool) throws(JoseError) -> Data {
        guard count < maximumSegments, segment.count >= Self.tagLength else { throw .cannotOpenStream }
        let content: Data
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: nextNonce(isLast: isLast)),
                ciphertext: segment.dropLast(Self.tagLength),
                tag: segment.suffix(Self.tagLength)
            )
            content = try AES.GCM.open(box, using: key)
        } catch {
            throw .cannotOpenStream
        }
        count += 1
        return content
    }

    private func nextNonce(isLast: Bool) -> Data {
        var nonce = paddedNoncePrefix
        nonce.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt32(count).bigEndian, toByteOffset: Header.noncePrefixLength, as: UInt32.self)
            bytes[Self.nonceLength - 1] = isLast ? 1 : 0
        }
        return nonce
    }
}

/// The values that the sender and the recipient of a stream must have in common.
struct StreamParameters {
    let key: SymmetricKey
    let associatedData: Data
    let segmentLength: Int

    init(key: SymmetricKey, associatedData: some DataProtocol, segmentLength: Int) throws(JoseError) {
        guard key.bitCount == 256 else {
            throw JoseError(
                .key,
                "The encryption of a stream requires a key of 256 bits, and this key has \(key.bitCount)."
            )
        }
        let allowed = SegmentCipher.allowedSegmentLengths
        guard allowed.contains(segmentLength) else {
            throw JoseError(
                .malformed,
                "A segment has \(allowed.lowerBound) to \(allowed.upperBound) bytes; \(segmentLength) is not allowed."
            )
        }
        self.key = key
        self.associatedData = Data(associatedData)
        self.segmentLength = segmentLength
    }
}

extension JoseError {
    /// The error for every failure to decrypt a stream, so that it does not reveal the cause to an attacker.
    static let cannotOpenStream = JoseError(
        .decryption,
        "The stream is incomplete or was changed, or it was encrypted with another key or other associated data."
    )
}
