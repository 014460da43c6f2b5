import SallyportTransport

/// Decodes a body with `Content-Encoding` gzip or deflate (RFC 9110 section 8.4.1) as its pieces arrive.
package struct ContentDecoder: BodyDecoder {
    private enum Stage {
        case header
        case body
        case trailer
        case padding
    }

    private var stage = Stage.header
    private var wrapper: any StreamWrapper
    private var inflater = Inflater()
    private var window = SlidingWindow()
    private var carry = BitReader.Carry()

    /// A decoder of gzip.
    package static var gzip: ContentDecoder { ContentDecoder(GzipWrapper()) }

    /// A decoder of deflate, which stands in the frame of zlib or, against the standard, in none.
    package static var deflate: ContentDecoder { ContentDecoder(DeflateWrapper()) }

    private init(_ wrapper: any StreamWrapper) {
        self.wrapper = wrapper
    }

    package mutating func decode(
        _ input: inout ArraySlice<UInt8>,
        upTo limit: Int
    ) throws(ContentDecodingError) -> [UInt8] {
        var output: [UInt8] = []
        let read = input.withUnsafeBytes { bytes in
            Result { () throws(ContentDecodingError) in try decode(bytes, into: &output, upTo: limit) }
        }
        input = input.dropFirst(try read.get())
        return output
    }

    package mutating func finish() throws(ContentDecodingError) {
        guard stage == .padding else { throw .truncated }
    }

    /// Says how many bytes of the input it has read: all, unless `limit` was in the way.
    private mutating func decode(
        _ input: UnsafeRawBufferPointer,
        into output: inout [UInt8],
        upTo limit: Int
    ) throws(ContentDecodingError) -> Int {
        var reader = BitReader(input, after: carry)
        var hasInput = true
        deliver(into: &output, upTo: limit)
        while hasInput, window.pendingCount == 0 {
            hasInput = try advance(reader: &reader)
            deliver(into: &output, upTo: limit)
        }
        carry = reader.carry
        return reader.position
    }

    /// Goes on until the input is used up, which is false, or the window or a stage is complete.
    private mutating func advance(reader: inout BitReader) throws(ContentDecodingError) -> Bool {
        switch stage {
        case .header:
            guard try wrapper.readHeader(from: &reader) else { return false }
            inflater = Inflater()
            window.reset()
            stage = .body

        case .body:
            switch try inflater.inflate(from: &reader, into: &window) {
            case .needsInput: return false
            case .windowFull: break
            case .finished: stage = .trailer
            }

        case .trailer:
            guard try wrapper.readTrailer(from: &reader) else { return false }
            stage = .padding

        case .padding:
            guard let byte = reader.peek(8) else { return false }
            if byte == 0 {
                reader.drop(8)
            } else if wrapper.firstByteOfNext.map(UInt32.init) == byte {
                stage = .header
            } else {
                throw .malformed(reason: "other bytes follow its end")
            }
        }
        return true
    }

    private mutating func deliver(into output: inout [UInt8], upTo limit: Int) {
        guard window.pendingCount > 0, output.count < limit else { return }
        let start = output.count
        window.takePending(into: &output, upTo: limit - start)
        output.withUnsafeBytes { bytes in
            wrapper.update(with: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }
}
