import SallyportTransport

/// Decodes the content codings of a body one after the other, within the limits.
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
            let decoded = try decoder.decode(&input, upTo: pieceSize)
            encodedSize += available - input.count
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

    private var layers: [Layer]
    private var failure: ContentDecodingFailure?
    private let limits: DecodingLimits

    /// - Parameter codings: One or more codings, in the order in which they were applied.
    init(_ codings: [ContentCoding], limits: DecodingLimits) {
        // The coding that was applied last is decoded first (RFC 9110, section 8.4).
        layers = codings.reversed().map { Layer(name: $0.name, decoder: $0.makeDecoder()) }
        self.limits = limits
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
            // The ratio is relative to the received bytes, so that nested codings cannot multiply it.
            try limits.check(decodedSize: layers[index].decodedSize, encodedSize: layers[0].encodedSize)
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

/// The limits on the decoded size of a body, so that a small body cannot exhaust memory.
package struct DecodingLimits: Sendable, Equatable {
    /// The maximum number of decoded bytes. The default is 1 GiB.
    package var maximumSize: Int

    /// The maximum ratio of decoded to encoded bytes. The default is 200.
    ///
    /// It applies once more than 1 MiB has been decoded: short repetitive bodies are harmless. Deflate cannot exceed a
    /// ratio of 1032; brotli and zstd can exceed it by far.
    package var maximumRatio: Int

    package init(maximumSize: Int = 1 << 30, maximumRatio: Int = 200) {
        self.maximumSize = maximumSize
        self.maximumRatio = maximumRatio
    }

    private static let sizeWithoutRatio = 1 << 20

    func check(decodedSize: Int, encodedSize: Int) throws(ContentDecodingError) {
        if decodedSize > maximumSize {
            throw .sizeLimitExceeded(limit: maximumSize)
        }
        if decodedSize > Self.sizeWithoutRatio, decodedSize / max(encodedSize, 1) > maximumRatio {
            throw .ratioLimitExceeded(limit: maximumRatio)
        }
    }
}
