/// Takes one content coding off one body, as its pieces arrive.
///
/// A decoder does not have to know limits on sizes: the transport counts what it returns.
public protocol BodyDecoder: Sendable {
    /// Decodes the next bytes.
    ///
    /// It takes what it reads from the front of `input`, and is called again with what it left until it returns
    /// nothing, which means that it has read all and needs more. It must never hold more than a bounded amount of
    /// either side.
    ///
    /// - Parameters:
    ///   - input: Bytes of the body, split anywhere. It may be empty, to get what did not fit before.
    ///   - limit: The most bytes to return; at least one.
    /// - Returns: Decoded bytes; nothing only if there are none before more of the body comes.
    /// - Throws: ``ContentDecodingError``; afterwards the decoder is not called again.
    mutating func decode(
        _ input: inout ArraySlice<UInt8>,
        upTo limit: Int
    ) throws(ContentDecodingError) -> [UInt8]

    /// Confirms that the body, which is at its end, is a whole one of this coding.
    ///
    /// It is not called for an empty body, which decodes to an empty one in every coding.
    ///
    /// - Throws: ``ContentDecodingError/truncated`` if more had to come.
    mutating func finish() throws(ContentDecodingError)
}
