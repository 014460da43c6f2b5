import HTTPTypes
import NIOCore

extension OutgoingRequest {
    /// Whether the body is sent in chunks, as only its end tells its length (RFC 9112, section 7.1).
    var isChunked: Bool { announcedLength == nil }

    /// The head as HTTP/1.1 has it (RFC 9112, section 3), with room for a body that is sent with it.
    var http1Head: ByteBuffer {
        let target = forwarding?.target ?? path
        var capacity = 64 + target.utf8.count + authority.utf8.count
        if case .bytes(let data) = body { capacity += data.count }
        forEachField { name, value in capacity += name.rawName.utf8.count + value.utf8.count + 4 }

        var head = ByteBuffer()
        head.reserveCapacity(capacity)
        head.writeString(method.rawValue)
        head.writeStaticString(" ")
        head.writeString(target)
        head.writeStaticString(" HTTP/1.1\r\n")
        head.writeField("Host", authority)
        forEachField { name, value in head.writeField(name.rawName, value) }
        if let proxyAuthorization { head.writeField("Proxy-Authorization", proxyAuthorization) }
        if isChunked { head.writeStaticString("Transfer-Encoding: chunked\r\n") }
        head.writeStaticString("\r\n")
        return head
    }
}

extension ByteBuffer {
    /// Writes a line of a head. Neither part can hold a line's end: ``HTTPField`` lets none in.
    mutating func writeField(_ name: String, _ value: String) {
        writeString(name)
        writeStaticString(": ")
        writeString(value)
        writeStaticString("\r\n")
    }
}
