#if Compression && os(Linux)

import CBrotliDecoder
import SallyportStorage
import SallyportTransport

/// Decodes brotli with libbrotlidec.
///
/// `@unchecked Sendable` because of the library's state, which is used only under the lock.
final class BrotliDecoder: BodyDecoder, @unchecked Sendable {
    private let lock = Locked(())
    private let state: OpaquePointer?
    private var isComplete = false

    init() {
        state = BrotliDecoderCreateInstance(nil, nil, nil)
        // The content coding allows windows of at most 16 MiB (RFC 7932, section 9.1).
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
            // With output, the next call throws the error.
            if isComplete, output.isEmpty, !input.isEmpty { throw .malformed(reason: "other bytes follow its end") }
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
        var availableInput = input.count
        let output = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            input.withUnsafeBufferPointer { input in
                var nextInput = input.baseAddress
                var availableOutput = limit
                var nextOutput = output.baseAddress
                result = BrotliDecoderDecompressStream(
                    state,
                    &availableInput,
                    &nextInput,
                    &availableOutput,
                    &nextOutput,
                    nil
                )
                count = limit - availableOutput
            }
        }
        input = input.suffix(availableInput)
        return (output, result)
    }
}

#endif
