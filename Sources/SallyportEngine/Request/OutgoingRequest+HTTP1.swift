import HTTPTypes
import NIOCore

extension OutgoingRequest {
    /// Whether the body is sent in chunks, as only its end tells its length (RFC 9112, section 7.1).
    var isChunked: Bool { announcedLength == nil }

    /// The head as HTTP/1.1 has it (RFC 9112, section 3), followed by the body if that is sent with it.
    func http1Head(with body: some Collection<UInt8> = EmptyCollection()) -> ByteBuffer {
        var head: [UInt8] = []
        head.reserveCapacity(512 + body.count)
        head.append(contentsOf: method.rawValue.utf8)
        head.append(UInt8(ascii: " "))
        head.append(contentsOf: (forwarding?.target ?? path).utf8)
        head.append(contentsOf: " HTTP/1.1\r\n".utf8)
        head.appendField("Host", authority)
        forEachField { name, value in head.appendField(name.rawName, value) }
        if let proxyAuthorization { head.appendField("Proxy-Authorization", proxyAuthorization) }
        if isChunked { head.appendField("Transfer-Encoding", "chunked") }
        head.append(contentsOf: "\r\n".utf8)
        head.append(contentsOf: body)
        return ByteBuffer(bytes: head)
    }
}

extension [UInt8] {
    /// Adds a line of a head. Neither part can hold a line's end: ``HTTPField`` lets none in.
    mutating func appendField(_ name: String, _ value: String) {
        append(contentsOf: name.utf8)
        append(contentsOf: ": ".utf8)
        append(contentsOf: value.utf8)
        append(contentsOf: "\r\n".utf8)
    }
}
