#if Compression && os(Linux)

import CBrotliDecoder
import SallyportStorage
import SallyportTransport

/// A decoder of brotli that uses libbrotlidec, with a window of at most 16 MiB.
///
/// Unchecked because of the library's state, which is accessed only under the lock.
final class BrotliDecoder: BodyDecoder, @unchecked Sendable {
    private let lock = Locked(())
    private let state: OpaquePointer?
    private var isComplete = false

    init() {
        state = BrotliDecoderCreateInstance(nil, nil, nil)
        // The content coding does not allow windows of more than 16 MiB.
        BrotliDecoderSetParameter(state, BROTLI_DECODER_PARAM_LARGE_WINDOW, 0)
    }

    deinit {
        BrotliDecoderDestroyInstance(state)
    }

    func decode(_ input: inout ArraySlice<UInt8>, upTo limit: Int) throws(ContentDecodingError) -> [UInt8] {
        guard let state else { throw .decoderFailed(reason: "no memory for brotli") }
        return try lock.withLock { _ throws(ContentDecodingError) in
            guard !isComplete else {
                guard input.isEmpty else { throw .malformed(reason: "other bytes follow its end") }
                return []
            }
            let (output, result) = Self.decompress(&input, upTo: limit, with: state)
            if result == BROTLI_DECODER_RESULT_ERROR {
                let code = BrotliDecoderGetErrorCode(state)
                throw .malformed(reason: String(cString: BrotliDecoderErrorString(code)))
            }
            isComplete = result == BROTLI_DECODER_RESULT_SUCCESS
            guard !isComplete || input.isEmpty else { throw .malformed(reason: "other bytes follow its end") }
            return output
        }
    }

    func finish() throws(ContentDecodingError) {
        guard lock.withLock({ _ in isComplete }) else { throw .truncated }
    }

    private static func decompress(
        _ input: inout ArraySlice<UInt8>,
        upTo limit: Int,
        with state: OpaquePointer
    ) -> ([UInt8], BrotliDecoderResult) {
        var result = BROTLI_DECODER_RESULT_ERROR
        var left = input.count
        let output = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            input.withUnsafeBufferPointer { input in
                var next = input.baseAddress
                var space = limit
                var end = output.baseAddress
                result = BrotliDecoderDecompressStream(state, &left, &next, &space, &end, nil)
                count = limit - space
            }
        }
        input = input.suffix(left)
        return (output, result)
    }
}

#endif
