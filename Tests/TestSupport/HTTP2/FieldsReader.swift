import NIOCore
import NIOHPACK

/// Puts the blocks of HEADERS and CONTINUATION together, and decodes them.
struct FieldsReader: Sendable {
    private var decoder: HPACKDecoder
    private var block: [UInt8] = []
    private var endsStream = false

    init() {
        decoder = HPACKDecoder(
            allocator: ByteBufferAllocator(),
            maxDynamicTableSize: HPACKDecoder.maxDynamicTableSize,
            maxHeaderListSize: 1 << 24
        )
    }

    /// Gives the fields once the last frame of their block has come.
    mutating func read(_ frame: WireFrame) -> (fields: [WireFrame.Field], endsStream: Bool)? {
        var payload = frame.payload[...]
        if frame.kind == .headers {
            if frame.has(WireFrame.padded) { payload = payload.dropFirst().dropLast(Int(payload.first ?? 0)) }
            if frame.has(WireFrame.prioritized) { payload = payload.dropFirst(5) }
            endsStream = frame.has(WireFrame.endStream)
            block = []
        }
        block += payload
        guard frame.has(WireFrame.endHeaders) else { return nil }
        var bytes = ByteBuffer(bytes: block)
        let headers = (try? decoder.decodeHeaders(from: &bytes)) ?? [:]
        return (headers.map { ($0.name, $0.value) }, endsStream)
    }
}
