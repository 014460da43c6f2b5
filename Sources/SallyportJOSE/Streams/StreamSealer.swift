import Crypto
import Foundation

/// Encrypts a message of any length in pieces. It holds the last piece and at most one segment in memory.
///
/// ```swift
/// var sealer = try StreamSealer(key: key, associatedData: Data("example request".utf8))
/// for try await piece in body {
///     sealer.append(piece)
///     while let segment = try sealer.nextSegment() { send(segment) }
/// }
/// send(try sealer.finish())
/// ```
///
/// ``StreamOpener`` decrypts the message. It detects every change: of the content, of the order and number of segments,
/// and of the end, such as a truncated message. A key may encrypt many messages, as each message has its own random
/// salt. To prevent a message from being accepted as another one, such as a request as a response, use different keys
/// or associated data.
///
/// ## Format
///
/// The format is AES256-GCM-HKDF of the Tink library's
/// [AES-GCM-HKDF Streaming AEAD](https://developers.google.com/tink/streaming-aead/aes_gcm_hkdf_streaming) with
/// SHA-256, a construction of the STREAM type (Hoang, Reyhanitabar, Rogaway and Vizár, 2015). Numbers are big-endian.
///
/// ```
/// message       = header | segment 0 | segment 1 | … | last segment
/// header        = 40, the length of the header (1 byte) | salt (32 bytes) | nonce prefix (7 bytes)
/// segment       = AES-256-GCM ciphertext of its content | tag (16 bytes)
///
/// key of AES    = HKDF-SHA256(input key: key, salt: salt, info: associated data), 32 bytes
/// nonce of AES  = nonce prefix (7 bytes) | number of the segment (4 bytes) | 1 for the last segment, else 0 (1 byte)
/// ```
///
/// AES-GCM itself receives no associated data, because the key is derived from it. The header and segment 0 together,
/// and every other segment, are as long as the segment length, by default 65,536 bytes; only the last segment can be
/// shorter. An empty message has one segment without content. There are at most 2^32 segments. The segment length and
/// the associated data are not part of the message: both sides must know them.
///
/// The type is not copyable, because two copies would encrypt different contents with the same nonces.
public struct StreamSealer: ~Copyable, Sendable {
    /// The default length of an encrypted segment, 64 KiB.
    public static let defaultSegmentLength = 64 * 1024

    private var cipher: SegmentCipher
    /// The header until it has been returned with the first segment; empty afterwards.
    private var header: Data
    /// The content that has not been encrypted. A full segment stays here until it is known whether it is the last one.
    private var pending = PendingBytes()

    /// Creates a sealer for one message.
    ///
    /// - Parameters:
    ///   - key: A key of 256 bits.
    ///   - associatedData: Data that is not part of the message, without which it cannot be decrypted.
    ///   - segmentLength: The length of an encrypted segment, from 64 bytes to 1 MiB. Bytes are delayed until a segment
    ///     is full or the message ends. Every segment adds 16 bytes.
    /// - Throws: ``JoseError`` for a key or segment of another length.
    public init(
        key: SymmetricKey,
        associatedData: some DataProtocol = Data(),
        segmentLength: Int = StreamSealer.defaultSegmentLength
    ) throws(JoseError) {
        let parameters = try StreamParameters(key: key, associatedData: associatedData, segmentLength: segmentLength)
        let header = SegmentCipher.Header()
        self.init(SegmentCipher(parameters, header: header), header: header)
    }

    init(_ cipher: SegmentCipher, header: SegmentCipher.Header) {
        self.cipher = cipher
        self.header = header.bytes
    }

    /// Appends the next piece to the content. Call ``nextSegment()`` until it returns `nil` before the next piece, because all content
    /// that has not been encrypted stays in memory.
    ///
    /// - Parameter piece: The next bytes, of any number.
    public mutating func append(_ piece: Data) {
        pending.append(piece)
    }

    /// Encrypts the next segment, if it is complete.
    ///
    /// - Returns: The next bytes of the encrypted message, which can be a slice of larger memory; `nil` if the segment is not complete, or
    ///   could be the last one.
    /// - Throws: ``JoseError`` if the message has too many segments. The encrypted message cannot be completed.
    public mutating func nextSegment() throws(JoseError) -> Data? {
        guard pending.count > cipher.nextContentLength else { return nil }
        return try seal(pending.removeFirst(cipher.nextContentLength), isLast: false)
    }

    /// Encrypts the rest of the content.
    ///
    /// - Returns: The last bytes of the encrypted message, without which it cannot be decrypted.
    /// - Throws: ``JoseError`` if the message has too many segments.
    public consuming func finish() throws(JoseError) -> Data {
        var segments = Data()
        while let segment = try nextSegment() { segments.append(segment) }
        let last = try seal(pending.removeFirst(pending.count), isLast: true)
        if segments.isEmpty { return last }
        segments.append(last)
        return segments
    }

    /// Encrypts the next segment, and returns it with the header if it is the first one.
    private mutating func seal(_ content: Data, isLast: Bool) throws(JoseError) -> Data {
        let segment = try cipher.seal(content, isLast: isLast)
        guard !header.isEmpty else { return segment }
        defer { header = Data() }
        return header + segment
    }

    /// Returns the length of an encrypted message, such as for `Content-Length`.
    ///
    /// - Parameters:
    ///   - length: The length of the message in bytes, which must be at most 2^62.
    ///   - segmentLength: The length of an encrypted segment.
    public static func encryptedLength(of length: Int64, segmentLength: Int = StreamSealer.defaultSegmentLength)
        -> Int64
    {
        let contentLength = Int64(segmentLength - SegmentCipher.tagLength)
        let header = Int64(SegmentCipher.Header.length)
        // The content of the first segment is shorter by the header.
        let segments = (length + header + contentLength - 1) / contentLength
        return header + length + segments * Int64(SegmentCipher.tagLength)
    }
}
