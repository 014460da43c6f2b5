import Crypto
import Foundation

/// Decrypts a message of ``StreamSealer`` in pieces. It holds the last piece and at most one segment in memory.
///
/// ```swift
/// var opener = try StreamOpener(key: key, associatedData: Data("example request".utf8))
/// for try await piece in body {
///     opener.append(piece)
///     while let content = try opener.nextContent() { receive(content) }
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
    /// The bytes that have not been decrypted. A full segment stays here until it is known whether it is the last one.
    private var pending = PendingBytes()
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

    /// Appends the next piece of the message. Call ``nextContent()`` until it returns `nil` before the next piece, because all bytes that
    /// have not been decrypted stay in memory.
    ///
    /// - Parameter piece: The next encrypted bytes, of any number.
    public mutating func append(_ piece: Data) {
        pending.append(piece)
    }

    /// Decrypts the next segment, if it is complete.
    ///
    /// - Returns: The next bytes of the content; `nil` if the segment is not complete, or could be the last one.
    /// - Throws: ``JoseError`` with the reason ``JoseError/Reason/decryption``, the same for each cause, and again in all
    ///   later calls.
    public mutating func nextContent() throws(JoseError) -> Data? {
        guard !hasFailed else { throw .cannotOpenStream }
        do throws(JoseError) {
            return try openNext()
        } catch {
            hasFailed = true
            throw error
        }
    }

    private mutating func openNext() throws(JoseError) -> Data? {
        if cipher == nil {
            guard pending.count > SegmentCipher.Header.length else { return nil }
            guard let header = SegmentCipher.Header(pending.removeFirst(SegmentCipher.Header.length)) else {
                throw .cannotOpenStream
            }
            cipher = SegmentCipher(parameters, header: header)
        }
        guard let length = cipher?.nextLength, pending.count > length else { return nil }
        return try cipher?.open(pending.removeFirst(length), isLast: false)
    }

    /// Decrypts the rest of the message, after all of its bytes have been appended.
    ///
    /// - Returns: The last bytes of the content, which is now complete.
    /// - Throws: ``JoseError`` with the reason ``JoseError/Reason/decryption``. An incomplete message has this reason too.
    public consuming func finish() throws(JoseError) -> Data {
        var contents = Data()
        while let content = try nextContent() { contents.append(content) }
        guard let last = try cipher?.open(pending.removeFirst(pending.count), isLast: true) else {
            throw .cannotOpenStream
        }
        if contents.isEmpty { return last }
        contents.append(last)
        return contents
    }
}
