#if Compression && os(Linux)

import TestSupport

extension Sample {
    static let text = Array(
        "The sally port is the guarded door of a fortress: the one way out, controlled on both sides.\n".utf8
    )

    /// Returns a zstd frame of zeros in blocks of 128 KiB, each encoded in four bytes (RFC 8878, section 3.1.1).
    static func zstandardZeros(blocks: Int) -> [UInt8] {
        let window: UInt8 = 0x38
        var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, window]
        for number in 1...blocks {
            let header = (128 << 10) << 3 | 1 << 1 | (number == blocks ? 1 : 0)
            frame += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16), 0]
        }
        return frame
    }
}

#endif
