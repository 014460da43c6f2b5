#if Compression && os(Linux)

import SallyportTransport

/// The four bytes with which a frame begins (RFC 8878, section 3.1), gathered and checked before the library sees them.
///
/// The library may read older formats too, which are no part of the content coding and not bound by its window.
struct ZstandardMagic {
    private var bytes: ArraySlice<UInt8> = []

    var isEmpty: Bool { bytes.isEmpty }

    /// The magic number, once it is complete; it then begins anew.
    mutating func read(from input: inout ArraySlice<UInt8>) throws(ContentDecodingError) -> ArraySlice<UInt8>? {
        let missing = 4 - bytes.count
        bytes += input.prefix(missing)
        input = input.dropFirst(missing)
        guard bytes.count == 4 else { return nil }
        defer { bytes = [] }
        switch Array(bytes) {
        case [0x28, 0xB5, 0x2F, 0xFD]: return bytes
        case let start where start[0] & 0xF0 == 0x50 && start[1...] == [0x2A, 0x4D, 0x18]: return bytes
        default: throw .malformed(reason: "a frame does not begin as zstd does")
        }
    }
}

#endif
