import SallyportTransport

/// The content codings of one body, taken off one after the other, each within the limits.
///
/// It is pulled from its end: between two codings there is never more than one piece.
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
                throw .decoderFailed(reason: "it returned more than it was asked for")
            }
            guard !decoded.isEmpty || input.isEmpty else {
                throw .decoderFailed(reason: "it stopped reading")
            }
            return decoded
        }
    }

    /// The most bytes that a decoder is asked for at a time.
    static let pieceSize = 64 << 10

    private var layers: [Layer]
    private var failure: DecodingFailure?
    private let limits: DecodingLimits

    /// - Parameter codings: At least one, in the order in which they were applied.
    init(_ codings: [ContentCoding], limits: DecodingLimits) {
        // The last coding was applied last, and comes off first (RFC 9110, section 8.4).
        layers = codings.reversed().map { Layer(name: $0.name, decoder: $0.makeDecoder()) }
        self.limits = limits
    }

    /// Hands in bytes as they came over the wire; only when `next()` has returned nothing.
    mutating func append(_ encoded: [UInt8]) {
        layers[0].input = encoded[...]
    }

    /// The next decoded bytes; none when more has to be handed in.
    ///
    /// After a failure it is of no more use: each call throws the same one.
    mutating func next() throws(DecodingFailure) -> [UInt8] {
        if let failure { throw failure }
        return try next(of: layers.count - 1)
    }

    /// Confirms that the body is complete in each of its codings.
    mutating func finish() throws(DecodingFailure) {
        if let failure { throw failure }
        for index in layers.indices where layers[index].encodedSize > 0 {
            do throws(ContentDecodingError) {
                try layers[index].decoder.finish()
            } catch {
                throw fail(error, of: index)
            }
        }
    }

    private mutating func next(of index: Int) throws(DecodingFailure) -> [UInt8] {
        while true {
            let decoded = try decode(index)
            if !decoded.isEmpty || index == 0 { return decoded }
            let encoded = try next(of: index - 1)
            if encoded.isEmpty { return [] }
            layers[index].input = encoded[...]
        }
    }

    private mutating func decode(_ index: Int) throws(DecodingFailure) -> [UInt8] {
        do throws(ContentDecodingError) {
            let decoded = try layers[index].decode()
            // Against what came over the wire, so that codings one in the other cannot multiply the ratio.
            try limits.check(decodedSize: layers[index].decodedSize, encodedSize: layers[0].encodedSize)
            return decoded
        } catch {
            throw fail(error, of: index)
        }
    }

    private mutating func fail(_ error: ContentDecodingError, of index: Int) -> DecodingFailure {
        let failure = DecodingFailure(
            coding: layers[index].name,
            encodedSize: layers[index].encodedSize,
            decodedSize: layers[index].decodedSize,
            error: error
        )
        self.failure = failure
        return failure
    }
}

/// Which coding of a body could not be taken off, and how far that got.
struct DecodingFailure: Error, Equatable {
    let coding: String
    let encodedSize: Int
    let decodedSize: Int
    let error: ContentDecodingError
}
