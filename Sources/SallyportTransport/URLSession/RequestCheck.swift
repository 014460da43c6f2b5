import HTTPTypes

extension HTTPRequest {
    /// Checks what a request on HTTP/1.1 may hold (RFC 9112, section 3), so that nothing is sent of one that may not.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming what is wrong.
    func checkForTransport() throws(NetworkError) {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw .invalidRequest("the scheme \"\(scheme ?? "")\" is not http or https")
        }
        guard method != .connect else {
            throw .invalidRequest("CONNECT opens a tunnel and cannot be sent as a request")
        }
        guard let authority, Self.isAuthority(authority) else {
            throw .invalidRequest("\"\(authority ?? "")\" is not a host with an optional port")
        }
        guard let path, path.first == "/" || (path == "*" && method == .options) else {
            throw .invalidRequest("the request target does not begin with a slash")
        }
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .invalidRequest("the request target holds a character that must be percent-encoded")
        }
        guard headerFields[.transferEncoding] == nil else {
            throw .invalidRequest("Transfer-Encoding is set by the transport; remove it from the request")
        }
    }

    private static func isAuthority(_ text: String) -> Bool {
        let isBracketed = text.hasPrefix("[")
        let hostEnd = isBracketed ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
        if isBracketed && hostEnd == nil { return false }
        let host = text[..<(hostEnd ?? text.endIndex)]
        let port = text[(hostEnd ?? text.endIndex)...]
        guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else { return false }
        guard !port.isEmpty, port != ":" else { return true }
        return port.first == ":" && UInt16(port.dropFirst()).map { $0 > 0 } == true
    }

    /// Visible ASCII without the delimiters that would end an authority.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"/?#@\\\"<>".utf8.contains(byte)
    }
}
