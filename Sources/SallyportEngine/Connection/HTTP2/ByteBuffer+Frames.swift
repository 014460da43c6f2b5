import NIOCore
import NIOHPACK

/// Frames that the client sends (RFC 9113, section 6).
extension ByteBuffer {
    mutating func writeFrameHead(_ kind: FrameKind, _ flags: FrameFlags = [], on stream: Int, length: Int) {
        writeMultipleIntegers(
            UInt8(truncatingIfNeeded: length >> 16),
            UInt16(truncatingIfNeeded: length),
            kind.rawValue,
            flags.rawValue,
            UInt32(truncatingIfNeeded: stream)
        )
    }

    /// Writes the connection preface: the magic string, the client's settings, and a larger window for the connection.
    mutating func writeGreeting(_ settings: [(number: UInt16, value: Int)], window: Int) {
        writeStaticString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        writeFrameHead(.settings, on: 0, length: settings.count * 6)
        for setting in settings {
            writeMultipleIntegers(setting.number, UInt32(clamping: setting.value))
        }
        writeWindowUpdate(by: window - HTTP2Limits.defaultWindow, on: 0)
    }

    mutating func writeWindowUpdate(by increment: Int, on stream: Int) {
        writeFrameHead(.windowUpdate, on: stream, length: 4)
        writeInteger(UInt32(clamping: increment))
    }

    mutating func writeReset(_ code: HTTP2ErrorCode, on stream: Int) {
        writeFrameHead(.reset, on: stream, length: 4)
        writeInteger(code.rawValue)
    }

    mutating func writePing(_ flags: FrameFlags = [], _ payload: UInt64) {
        writeFrameHead(.ping, flags, on: 0, length: 8)
        writeInteger(payload)
    }

    /// Writes GOAWAY. The server opens no streams, so the last processed stream is 0.
    mutating func writeGoAway(_ code: HTTP2ErrorCode) {
        writeFrameHead(.goAway, on: 0, length: 8)
        writeMultipleIntegers(UInt32(0), code.rawValue)
    }

    /// Writes fields in a HEADERS frame, followed by CONTINUATION frames if they do not fit.
    mutating func writeFields(
        _ fields: HPACKHeaders,
        on stream: Int,
        endStream: Bool,
        maximumFrame: Int,
        _ encoder: inout HPACKEncoder
    ) throws {
        let start = writerIndex
        let flags: FrameFlags = endStream ? [.endStream] : []
        writeFrameHead(.headers, flags.union(.endHeaders), on: stream, length: 0)
        do {
            try encoder.encode(headers: fields, to: &self)
        } catch {
            moveWriterIndex(to: start)
            throw error
        }
        let length = writerIndex - start - FrameHead.size
        if length <= maximumFrame {
            setInteger(UInt8(truncatingIfNeeded: length >> 16), at: start)
            setInteger(UInt16(truncatingIfNeeded: length), at: start + 1)
        } else if var block = getSlice(at: start + FrameHead.size, length: length) {
            moveWriterIndex(to: start)
            var kind = FrameKind.headers
            while let piece = block.readSlice(length: min(maximumFrame, block.readableBytes)), piece.readableBytes > 0 {
                let isLast: FrameFlags = block.readableBytes == 0 ? [.endHeaders] : []
                writeFrameHead(
                    kind,
                    isLast.union(kind == .headers ? flags : []),
                    on: stream,
                    length: piece.readableBytes
                )
                writeImmutableBuffer(piece)
                kind = .continuation
            }
        }
    }
}
