import Crypto
import Foundation

/// Decrypts a message of ``StreamSealer`` in pieces. It holds one segment and the current piece in memory.
///
/// ```swift
/// var opener = try StreamOpener(key: key, associatedData: Data("example request".utf8))
/// for try await piece in body {
///     for content in try opener.open(piece) { receive(content) }
/// }
/// receive(try opener.finish())
/// ```
///
/// Decrypted bytes are authentic and in order, but until ``finish()`` has returned, they may be only the first part of
/// the message. Until then, do nothing with them that cannot be undone.
public struct StreamOpener: ~Copyable, Sendable {
    private let parameters: StreamParameters
    /// The cipher, after the header has been received.
    private var cipher: SegmentCipher?
    /// The received part of the header or of the next segment. A full segment stays here until it is known whether it
    /// is the last one.
    private var received = Data()
    private var hasFailed = false

    /// Creates an opener for one message.
    ///
    /// - Parameters:
    ///   - key: The key of the message.
    ///   - associatedData: The associated data of the message.
    ///   - segmentLength: The length of an encrypted segment of the message.
    /// - Throws: ``JoseError`` for a key or segment of another length.
    public init(
        key: SymmetricKey,
        associatedData: some DataProtocol = Data(),
        segmentLength: Int = StreamSealer.defaultSegmentLength
    ) throws(JoseError) {
        parameters = try StreamParameters(key: key, associatedData: associatedData, segmentLength: segmentLength)
    }

    /// Decrypts the next piece of the message.
    ///
    /// - Parameter piece: The next encrypted bytes, of any number.
    /// - Returns: The decrypted contents of the segments that are complete, in their order, which may be none. They are
    ///   the next bytes of the message.
    /// - Throws: ``JoseError`` with the reason ``JoseError/Reason/decryption``, the same for each cause, and again for
    ///   all later pieces.
    public mutating func open(_ piece: some DataProtocol) throws(JoseError) -> [Data] {
        guard !hasFailed else { throw .cannotOpenStream }
        do throws(JoseError) {
            return try decrypt(piece)
        } catch {
            hasFailed = true
            throw error
        }
    }

    private mutating func decrypt(_ piece: some DataProtocol) throws(JoseError) -> [Data] {
        var contents: [Data] = []
        var rest = piece[...]
        while !rest.isEmpty {
            // A complete segment that is followed by more bytes is not copied first.
            if received.isEmpty, let length = cipher?.nextLength, rest.count > length {
                if let content = try cipher?.open(rest.prefix(length), isLast: false) { contents.append(content) }
                rest = rest.dropFirst(length)
                continue
            }
            if received.count == nextLength {
                if let content = try completeNext() { contents.append(content) }
                received.removeAll(keepingCapacity: true)
            }
            let part = rest.prefix(nextLength - received.count)
            received.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
        }
        return contents
    }

    private var nextLength: Int { cipher?.nextLength ?? SegmentCipher.Header.length }

    /// Parses the complete header, or decrypts a complete segment that is not the last one.
    ///
    /// - Returns: The content of the segment; `nil` for the header.
    private mutating func completeNext() throws(JoseError) -> Data? {
        if cipher != nil { return try cipher?.open(received, isLast: false) }
        guard let header = SegmentCipher.Header(received) else { throw .cannotOpenStream }
        cipher = SegmentCipher(parameters, header: header)
        return nil
    }

    /// Decrypts the last segment, after all bytes of the message have been passed to ``open(_:)``.
    ///
    /// - Returns: The last bytes of the message, which is now complete.
    /// - Throws: ``JoseError`` with the reason ``JoseError/Reason/decryption``, also if the message is incomplete.
    public consuming func finish() throws(JoseError) -> Data {
        guard !hasFailed, var cipher else { throw .cannotOpenStream }
        return try cipher.open(received, isLast: true)
    }
}
