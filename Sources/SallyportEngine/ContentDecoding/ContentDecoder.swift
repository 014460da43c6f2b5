/// Decodes a body with `Content-Encoding` gzip or deflate (RFC 9110 section 8.4.1) as its pieces arrive.
///
///     var decoder = ContentDecoder(encoding: "gzip")
///     try piece.withUnsafeBytes { try decoder?.decode($0, into: &decoded) }
///     try decoder?.finish()
package struct ContentDecoder: Sendable {
    private enum Stage {
        case header
        case body
        case trailer
        case padding
    }

    private let limits: DecodingLimits
    private var stage = Stage.header
    private var wrapper: any StreamWrapper
    private var inflater = Inflater()
    private var window = SlidingWindow()
    private var carry = BitReader.Carry()
    private var encodedSize = 0
    private var decodedSize = 0
    private var failure: ContentDecodingError?

    /// A decoder for one content coding, in any case; `nil` if it is not "gzip", "x-gzip" or "deflate".
    package init?(encoding: String, limits: DecodingLimits = DecodingLimits()) {
        switch encoding.lowercased() {
        case "gzip", "x-gzip": wrapper = GzipWrapper()
        case "deflate": wrapper = DeflateWrapper()
        default: return nil
        }
        self.limits = limits
    }

    /// Appends to `output` all that can be decoded with this piece of the body.
    ///
    /// After an error the decoder is of no more use: each call throws the same error.
    package mutating func decode(
        _ input: UnsafeRawBufferPointer,
        into output: inout [UInt8]
    ) throws(ContentDecodingError) {
        if let failure { throw failure }
        var reader = BitReader(input, after: carry)
        do {
            try decode(from: &reader, into: &output)
        } catch {
            failure = error
            throw error
        }
        carry = reader.carry
        encodedSize += input.count
    }

    /// Confirms that the body is complete; an empty one is.
    package mutating func finish() throws(ContentDecodingError) {
        if let failure { throw failure }
        guard stage == .padding || encodedSize == 0 else { throw .truncated }
    }

    private mutating func decode(
        from reader: inout BitReader,
        into output: inout [UInt8]
    ) throws(ContentDecodingError) {
        while true {
            switch stage {
            case .header:
                guard try wrapper.readHeader(from: &reader) else { return }
                inflater = Inflater()
                window.reset()
                stage = .body

            case .body:
                let progress = try inflater.inflate(from: &reader, into: &window)
                try deliver(into: &output, encodedSize: encodedSize + reader.position)
                switch progress {
                case .needsInput: return
                case .windowFull: break
                case .finished: stage = .trailer
                }

            case .trailer:
                guard try wrapper.readTrailer(from: &reader) else { return }
                stage = .padding

            case .padding:
                guard let byte = reader.peek(8) else { return }
                if byte == 0 {
                    reader.drop(8)
                } else if wrapper.firstByteOfNext.map(UInt32.init) == byte {
                    stage = .header
                } else {
                    throw .malformed(reason: "other bytes follow its end")
                }
            }
        }
    }

    private mutating func deliver(into output: inout [UInt8], encodedSize: Int) throws(ContentDecodingError) {
        decodedSize += window.pendingCount
        try limits.check(decodedSize: decodedSize, encodedSize: encodedSize)
        let start = output.count
        window.takePending(into: &output)
        output.withUnsafeBytes { bytes in
            wrapper.update(with: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }
}
