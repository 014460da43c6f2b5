import NIOCore
import NIOHPACK
import SallyportTransport

extension HPACKHeaders {
    /// The smallest limit on frames that a server may have (RFC 9113, section 6.5.2).
    private static let smallestFrame = 16_384

    /// Whether they can be sent in one frame, which is all that NIO's encoder makes of them.
    var fitsInFrame: Bool {
        // The longest code of a byte has 30 bits (RFC 7541, appendix B), and lengths take a few more.
        var longest = 0
        for (name, value, _) in self { longest += (name.utf8.count + value.utf8.count) * 4 + 16 }
        if longest <= Self.smallestFrame { return true }
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        var encoded = ByteBuffer()
        guard (try? encoder.encode(headers: self, to: &encoded)) != nil else { return false }
        return encoded.readableBytes <= Self.smallestFrame
    }
}

extension NetworkError {
    static var largeHead: NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the request's fields are larger than the 16 KiB that are sent over HTTP/2",
                phase: .send,
                advice: "send less in them, or allow HTTP/1.1 only"
            )
        )
    }
}
