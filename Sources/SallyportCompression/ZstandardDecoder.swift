#if Compression && os(Linux)

import CZstandard
import SallyportTransport

/// Takes zstd off a body with libzstd: frames one after the other, some of which may be skippable.
///
/// Unchecked because of the library's state, which is only touched under the lock.
final class ZstandardDecoder: BodyDecoder, @unchecked Sendable {
    /// The logarithm of the largest window, 8 MiB (RFC 9659, section 3).
    private static let largestWindow: Int32 = 23

    private let lock = Locked(())
    private let context: OpaquePointer?
    private var magic = ZstandardMagic()
    private var stage = Stage.betweenFrames

    private enum Stage {
        case betweenFrames
        case inFrame
        /// The last answer was as long as it could be: there may be more without further input.
        case inFrameWithMore
    }

    init() {
        context = ZSTD_createDCtx()
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.largestWindow)
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    func decode(_ input: inout ArraySlice<UInt8>, upTo limit: Int) throws(ContentDecodingError) -> [UInt8] {
        guard let context else { throw .decoderFailed(reason: "no memory for zstd") }
        return try lock.withLock { _ throws(ContentDecodingError) in
            while !input.isEmpty || stage == .inFrameWithMore {
                if stage == .betweenFrames {
                    guard var start = try magic.read(from: &input) else { return [] }
                    _ = try decompress(&start, upTo: limit, with: context)
                }
                let output = try decompress(&input, upTo: limit, with: context)
                if !output.isEmpty { return output }
            }
            return []
        }
    }

    func finish() throws(ContentDecodingError) {
        guard lock.withLock({ _ in stage == .betweenFrames && magic.isEmpty }) else { throw .truncated }
    }

    private func decompress(
        _ input: inout ArraySlice<UInt8>,
        upTo limit: Int,
        with context: OpaquePointer
    ) throws(ContentDecodingError) -> [UInt8] {
        var result = 0
        var read = 0
        let output = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            input.withUnsafeBytes { input in
                var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
                var target = ZSTD_outBuffer(dst: output.baseAddress, size: limit, pos: 0)
                result = ZSTD_decompressStream(context, &target, &source)
                read = source.pos
                count = target.pos
            }
        }
        input = input.dropFirst(read)
        guard ZSTD_isError(result) == 0 else { throw Self.error(of: result) }
        if result == 0 {
            stage = .betweenFrames
        } else {
            stage = output.count == limit ? .inFrameWithMore : .inFrame
        }
        return output
    }

    private static func error(of result: Int) -> ContentDecodingError {
        switch ZSTD_getErrorCode(result) {
        case ZSTD_error_checksum_wrong: .checksumMismatch
        case ZSTD_error_memory_allocation: .decoderFailed(reason: "no memory for zstd")
        case ZSTD_error_frameParameter_windowTooLarge:
            .malformed(reason: "its window is larger than the 8 MiB that RFC 9659 allows")
        default: .malformed(reason: String(cString: ZSTD_getErrorName(result)))
        }
    }
}

#endif
