import SallyportTransport

/// Decodes a body with `Content-Encoding` gzip or deflate (RFC 9110, section 8.4.1) as its pieces arrive.
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
    /// The error that follows the bytes that have been returned.
    private var failure: ContentDecodingError?

    /// Returns a decoder for gzip.
    package static var gzip: ContentDecoder { ContentDecoder(GzipWrapper()) }

    /// Returns a decoder for deflate, with a zlib wrapper or, contrary to the standard, without one.
    package static var deflate: ContentDecoder { ContentDecoder(DeflateWrapper()) }

    private init(_ wrapper: any StreamWrapper) {
        self.wrapper = wrapper
    }

    package mutating func decode(
        _ input: inout ArraySlice<UInt8>,
        upTo limit: Int
    ) throws(ContentDecodingError) -> [UInt8] {
        if let failure { throw failure }
        var output: [UInt8] = []
        let read = input.withUnsafeBytes { bytes in decode(bytes, into: &output, upTo: limit) }
        input = input.dropFirst(read)
        if let failure, output.isEmpty { throw failure }
        return output
    }

    package mutating func finish() throws(ContentDecodingError) {
        if let failure { throw failure }
        guard stage == .padding else { throw .truncated }
    }

    /// Returns the number of input bytes that were read: all, unless `limit` was reached or decoding failed.
    private mutating func decode(
        _ input: UnsafeRawBufferPointer,
        into output: inout [UInt8],
        upTo limit: Int
    ) -> Int {
        var reader = BitReader(input, after: carry)
        var hasInput = true
        deliver(into: &output, upTo: limit)
        do throws(ContentDecodingError) {
            while hasInput, window.pendingCount == 0 {
                hasInput = try advance(reader: &reader)
                deliver(into: &output, upTo: limit)
            }
        } catch {
            failure = error
        }
        if hasInput { reader.returnBytes() }
        carry = reader.carry
        return reader.position
    }

    /// Advances until the window is full or a stage is complete. Returns `false` if more input is needed.
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
