#if Compression && os(Linux)

import CZstandard
import SallyportStorage
import SallyportTransport

/// Decodes zstd with libzstd. The input is a sequence of frames, some of which may be skippable.
///
/// `@unchecked Sendable` because of the library's state, which is used only under the lock.
final class ZstandardDecoder: BodyDecoder, @unchecked Sendable {
    /// The binary logarithm of the maximum window, 8 MiB (RFC 9659, section 3).
    private static let maximumWindowLog: Int32 = 23

    private let lock = Locked(())
    private let context: OpaquePointer?
    private var magic = ZstandardMagic()
    private var stage = Stage.betweenFrames

    private enum Stage {
        case betweenFrames
        case inFrame
        /// The last output had the maximum length, so there may be more output without more input.
        case inFrameWithMore
    }

    init() {
        context = ZSTD_createDCtx()
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.maximumWindowLog)
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

/// Collects and checks the magic number of a frame (RFC 8878, section 3.1) before it is passed to the library.
///
/// The library may support older formats. They are not part of the content coding, and the limit on the window does not
/// apply to them.
private struct ZstandardMagic {
    private var bytes: ArraySlice<UInt8> = []

    var isEmpty: Bool { bytes.isEmpty }

    /// Reads bytes of the magic number.
    ///
    /// - Returns: The magic number when it is complete, after which the next call begins a new one; `nil` if more input
    ///   is needed.
    mutating func read(from input: inout ArraySlice<UInt8>) throws(ContentDecodingError) -> ArraySlice<UInt8>? {
        let missing = 4 - bytes.count
        bytes += input.prefix(missing)
        input = input.dropFirst(missing)
        guard bytes.count == 4 else { return nil }
        defer { bytes = [] }
        switch Array(bytes) {
        case [0x28, 0xB5, 0x2F, 0xFD]: return bytes
        case let start where start[0] & 0xF0 == 0x50 && start[1...] == [0x2A, 0x4D, 0x18]: return bytes
        default: throw .malformed(reason: "a frame does not begin with the magic number of zstd")
        }
    }
}

#endif
