import HTTPTypes

extension HTTPRequest {
    /// Checks what a request on HTTP/1.1 may hold (RFC 9112, section 3), so that nothing is sent of one that may not.
    ///
    /// - Returns: The server that it is for.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming what is wrong.
    package func checkForTransport() throws(NetworkError) -> Origin {
        let origin = try Origin(of: self)
        guard method != .connect else {
            throw .invalidRequest("CONNECT opens a tunnel and cannot be sent as a request")
        }
        guard let path, path.utf8.first == UInt8(ascii: "/") || (path == "*" && method == .options) else {
            throw .invalidRequest("the request target does not begin with a slash")
        }
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .invalidRequest("the request target holds a character that must be percent-encoded")
        }
        guard headerFields[.transferEncoding] == nil else {
            throw .invalidRequest("Transfer-Encoding is set by the transport; remove it from the request")
        }
        return origin
    }
}
