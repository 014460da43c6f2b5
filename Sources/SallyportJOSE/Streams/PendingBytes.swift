import Foundation

/// The bytes of a message that have been received, and not yet encrypted or decrypted.
///
/// A segment within one piece is returned as a slice of it. Only a segment that ends in another piece than it begins is copied.
struct PendingBytes {
    /// The bytes before ``rest``.
    private var start = Data()
    /// The remaining bytes of the last piece.
    private var rest = Data()

    var count: Int { start.count + rest.count }

    mutating func append(_ piece: Data) {
        if start.isEmpty { start = rest } else { start.append(rest) }
        rest = piece
    }

    /// Removes the next bytes, and returns them.
    ///
    /// - Parameter length: The number of bytes, at most ``count``.
    mutating func removeFirst(_ length: Int) -> Data {
        if start.isEmpty { swap(&start, &rest) }
        if start.count < length {
            let missing = rest.prefix(length - start.count)
            rest = rest.dropFirst(missing.count)
            var joined = Data(capacity: length)
            joined.append(start)
            joined.append(missing)
            start = joined
        }
        let first = start.prefix(length)
        start = start.dropFirst(length)
        return first
    }
}
