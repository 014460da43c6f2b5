#if Compression && os(Linux)

import CBrotliDecoder
import SallyportTransport

/// Takes brotli off a body with libbrotlidec, which holds a window of 16 MiB at most.
///
/// Unchecked because of the library's state, which is only touched under the lock.
final class BrotliDecoder: BodyDecoder, @unchecked Sendable {
    private let lock = Locked(())
    private let state: OpaquePointer?
    private var isComplete = false

    init() {
        state = BrotliDecoderCreateInstance(nil, nil, nil)
        // Windows above 16 MiB are no part of the content coding.
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
                var room = limit
                var end = output.baseAddress
                result = BrotliDecoderDecompressStream(state, &left, &next, &room, &end, nil)
                count = limit - room
            }
        }
        input = input.suffix(left)
        return (output, result)
    }
}

#endif
