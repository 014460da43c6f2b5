import SallyportTransport

/// Decodes the content codings of a body one after the other, within a limit on the size.
///
/// Output is pulled from the last decoder, so that there is at most one piece of data between two decoders.
struct DecodingChain: Sendable {
    private struct Layer: Sendable {
        let name: String
        var decoder: any BodyDecoder
        var input: ArraySlice<UInt8> = []
        var encodedSize = 0
        var decodedSize = 0

        mutating func decode() throws(ContentDecodingError) -> [UInt8] {
            let available = input.count
            defer { encodedSize += available - input.count }
            let decoded = try decoder.decode(&input, upTo: pieceSize)
            decodedSize += decoded.count
            guard decoded.count <= pieceSize else {
                throw .decoderFailed(reason: "it returned more bytes than requested")
            }
            guard !decoded.isEmpty || input.isEmpty else {
                throw .decoderFailed(reason: "it stopped reading")
            }
            return decoded
        }
    }

    /// The maximum number of bytes that a decoder returns at a time.
    static let pieceSize = 64 << 10

    /// The number of bytes between two codings that may decode to nothing.
    private static let maximumCredit = 1 << 20

    private var layers: [Layer]
    private var failure: ContentDecodingFailure?
    private let maximumSize: Int
    /// The number of bytes that may pass between two codings before the last one returns more.
    ///
    /// Each returned byte adds four, which suffices for three codings of incompressible data. Without this limit, a small body could
    /// keep a decoder busy that never returns anything, such as with gigabytes of padding.
    private var credit = maximumCredit

    /// - Parameters:
    ///   - codings: One or more codings, in the order they were applied.
    ///   - maximumSize: The maximum number of bytes after decoding each of the codings; `nil` for any number.
    init(_ codings: [ContentCoding], maximumSize: Int?) {
        // The coding that was applied last is decoded first (RFC 9110, section 8.4).
        layers = codings.reversed().map { Layer(name: $0.name, decoder: $0.makeDecoder()) }
        self.maximumSize = maximumSize ?? .max
    }

    /// Adds received bytes. Must only be called after `next()` has returned no bytes.
    mutating func append(_ encoded: [UInt8]) {
        layers[0].input = encoded[...]
    }

    /// Returns the next decoded bytes, or none if more input is needed.
    ///
    /// After a failure, each call throws the same error.
    mutating func next() throws(ContentDecodingFailure) -> [UInt8] {
        if let failure { throw failure }
        return try next(of: layers.count - 1)
    }

    /// Verifies that the body is complete in each of its codings.
    mutating func finish() throws(ContentDecodingFailure) {
        if let failure { throw failure }
        for index in layers.indices where layers[index].encodedSize > 0 {
            do throws(ContentDecodingError) {
                try layers[index].decoder.finish()
            } catch {
                throw fail(error, of: index)
            }
        }
    }

    private mutating func next(of index: Int) throws(ContentDecodingFailure) -> [UInt8] {
        while true {
            let decoded = try decode(index)
            if !decoded.isEmpty || index == 0 { return decoded }
            let encoded = try next(of: index - 1)
            if encoded.isEmpty { return [] }
            layers[index].input = encoded[...]
        }
    }

    private mutating func decode(_ index: Int) throws(ContentDecodingFailure) -> [UInt8] {
        do throws(ContentDecodingError) {
            let decoded = try layers[index].decode()
            if layers[index].decodedSize > maximumSize { throw .sizeLimitExceeded(limit: maximumSize) }
            if index == layers.count - 1 {
                credit = min(credit + 4 * decoded.count, Self.maximumCredit)
            } else {
                credit -= decoded.count
                if credit < 0 {
                    throw .malformed(reason: "it contains data that the coding within it decodes to nothing")
                }
            }
            return decoded
        } catch {
            throw fail(error, of: index)
        }
    }

    private mutating func fail(_ error: ContentDecodingError, of index: Int) -> ContentDecodingFailure {
        let failure = ContentDecodingFailure(
            coding: layers[index].name,
            encodedSize: layers[index].encodedSize,
            decodedSize: layers[index].decodedSize,
            error: error
        )
        self.failure = failure
        return failure
    }
}

/// A failure to decode one coding of a body, with its progress.
struct ContentDecodingFailure: Error, Equatable {
    let coding: String
    let encodedSize: Int
    let decodedSize: Int
    let error: ContentDecodingError
}
