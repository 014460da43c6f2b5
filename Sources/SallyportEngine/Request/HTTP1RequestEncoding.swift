import Foundation
import HTTPTypes
import NIOCore

extension OutgoingRequest {
    /// A Boolean value that indicates whether the body is sent in chunks, as its length is not announced (RFC 9112,
    /// section 7.1).
    var isChunked: Bool { announcedLength == nil }

    /// Returns the head in the format of HTTP/1.1 (RFC 9112, section 3), followed by a body.
    func http1Head(with body: Data = Data()) -> ByteBuffer {
        var head = ByteBuffer()
        head.reserveCapacity(512 + body.count)
        head.writeString(method.rawValue)
        head.writeStaticString(" ")
        head.writeString(forwarding?.target ?? path)
        head.writeStaticString(" HTTP/1.1\r\n")
        head.writeField("Host", authority)
        forEachField { name, value in head.writeField(name.rawName, value) }
        if let proxyAuthorization { head.writeField("Proxy-Authorization", proxyAuthorization) }
        if isChunked { head.writeField("Transfer-Encoding", "chunked") }
        head.writeStaticString("\r\n")
        if !body.isEmpty { head.writeBytes(body) }
        return head
    }
}

/// Encodes the chunked transfer coding of a request's body (RFC 9112, section 7.1).
struct ChunkedEncoder {
    /// A Boolean value that indicates whether the line ending of the previous chunk has yet to be written.
    private var hasOpenChunk = false

    /// Returns the bytes to write before the content of the next chunk.
    mutating func start(size: Int) -> ByteBuffer {
        var line = ByteBuffer()
        if hasOpenChunk { line.writeStaticString("\r\n") }
        line.writeString(String(size, radix: 16))
        line.writeStaticString("\r\n")
        hasOpenChunk = true
        return line
    }

    /// Returns the bytes that end the body: the last chunk and the trailers.
    func end(with trailers: HTTPFields?) -> ByteBuffer {
        var last = ByteBuffer(string: hasOpenChunk ? "\r\n0\r\n" : "0\r\n")
        for field in trailers ?? [:] { last.writeField(field.name.rawName, field.value) }
        last.writeStaticString("\r\n")
        return last
    }
}

extension ByteBuffer {
    /// Writes a field line. Neither part can contain a line ending: ``HTTPField`` accepts none.
    fileprivate mutating func writeField(_ name: String, _ value: String) {
        writeString(name)
        writeStaticString(": ")
        writeString(value)
        writeStaticString("\r\n")
    }
}
