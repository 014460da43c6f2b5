import HTTPTypes
import NIOCore
import SallyportTransport

/// Requests a tunnel from an HTTP proxy with CONNECT (RFC 9110, section 9.3.6).
struct HTTPConnectHandshake: ProxyHandshake {
    let proxy: Proxy
    private let origin: Origin
    private let limits: ResponseLimits

    private var status: Int?
    private var reasonPhrase = ""
    /// The authentication schemes that the proxy accepts.
    private var schemes: [String] = []
    private var size = 0
    private var fields = 0
    private var informationalResponses = 0

    init(proxy: Proxy, origin: Origin, limits: ResponseLimits) {
        self.proxy = proxy
        self.origin = origin
        self.limits = limits
    }

    var firstMessage: [UInt8] {
        var head = "CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n"
        if let credentials = proxy.credentials { head += "Proxy-Authorization: \(credentials.basic)\r\n" }
        return Array((head + "\r\n").utf8)
    }

    mutating func receive(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyHandshakeStep {
        while let line = try nextLine(of: &bytes) {
            if let status, line.isEmpty {
                // The fields of a 2xx that describe a body are ignored (RFC 9110, section 9.3.6).
                if 200..<300 ~= status { return .established }
                try continueAfter(status)
            } else if status == nil {
                // Empty lines before the head are ignored.
                if !line.isEmpty { try readStatus(line) }
            } else if line.utf8.first?.isBlank == true {
                try readContinuation(line)
            } else {
                try readField(line)
            }
        }
        return .receiveMore
    }

    private mutating func nextLine(of bytes: inout ByteBuffer) throws(NetworkError) -> String? {
        let unread = bytes.readableBytesView
        let end = unread.firstIndex(of: UInt8(ascii: "\n"))
        let length = end.map { $0 - unread.startIndex + 1 } ?? unread.count
        guard size + length <= limits.headBytes else { throw tooLarge("head") }
        guard end != nil, let line = bytes.readSlice(length: length) else { return nil }
        size += length
        let text = line.readableBytesView.dropLast()
        return line.text(0..<(text.last == UInt8(ascii: "\r") ? text.count - 1 : text.count))
    }

    private mutating func readStatus(_ line: String) throws(NetworkError) {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, ["HTTP/1.1", "HTTP/1.0"].contains(parts[0]), parts[1].count == 3,
            let status = Int(parts[1]), 100..<600 ~= status
        else {
            throw .invalid(proxy, "did not respond with HTTP/1.1", advice: "check that an HTTP proxy is at its port")
        }
        self.status = status
        reasonPhrase = parts.count > 2 ? sanitized(parts[2]) : ""
    }

    private mutating func readField(_ line: String) throws(NetworkError) {
        fields += 1
        guard fields <= limits.headFields else { throw tooLarge("head") }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.last.map { String($0.trimmingBlanks()) } ?? ""
        guard parts.count == 2, let name = HTTPField.Name(String(parts[0])), HTTPField.isValidValue(value) else {
            throw .invalid(proxy, "sent an invalid header field")
        }
        if name == .proxyAuthenticate, schemes.count < 5 {
            schemes.append(sanitized(value.prefix { $0 != " " }))
        }
    }

    /// Reads a line that continues the value of the field before it (RFC 9112, section 5.2). No such value is needed.
    private mutating func readContinuation(_ line: String) throws(NetworkError) {
        guard fields > 0, HTTPField.isValidValue(String(line.trimmingBlanks())) else {
            throw .invalid(proxy, "sent an invalid header field")
        }
        fields += 1
        guard fields <= limits.headFields else { throw tooLarge("head") }
    }

    private mutating func continueAfter(_ status: Int) throws(NetworkError) {
        guard status < 200 else { throw refusal(status) }
        guard status != 101 else { throw .invalid(proxy, "switched protocols without being asked to") }
        informationalResponses += 1
        guard informationalResponses <= limits.informationalResponses else { throw tooLarge("number of responses") }
        (self.status, size, fields, schemes) = (nil, 0, 0, [])
    }

    private func refusal(_ status: Int) -> NetworkError {
        guard status == 407 else {
            let response = "\(status) \(reasonPhrase)".trimmingBlanks()
            return .refused(
                by: proxy,
                "opened no tunnel to \(origin.authority): it answered \(response)",
                advice: status < 500
                    ? "check that it allows connections to this host and port"
                    : "check that it can reach this host and port"
            )
        }
        if proxy.credentials != nil {
            let advice = "check them; they are sent as Basic" + acceptedSchemes
            return .refused(by: proxy, "accepts neither the user nor the password (407)", advice: advice)
        }
        let advice = "write it as \(proxy.kind.scheme)://user:password@\(proxy.authority)" + acceptedSchemes
        return .refused(by: proxy, "requires a user and a password (407)", advice: advice)
    }

    private var acceptedSchemes: String {
        schemes.isEmpty ? "" : ", and the proxy supports \(schemes.joined(separator: ", "))"
    }

    private func tooLarge(_ what: String) -> NetworkError {
        .responseTooLarge(
            NetworkFailure(
                "the \(what) of the response from the proxy \(proxy.authority) exceeds the limits",
                phase: .connect,
                advice: SettingAdvice.raiseHeadLimits.rawValue
            )
        )
    }

    /// Returns a text from the proxy in a form that is safe to show, or asterisks if it repeats the credentials.
    private func sanitized(_ text: some StringProtocol) -> String {
        let visible = String(String.UnicodeScalarView(text.unicodeScalars.filter { 0x20..<0x7F ~= $0.value }))
        if let credentials = proxy.credentials, credentials.isIn(String(text)) || credentials.isIn(visible) {
            return "***"
        }
        return VisibleText.line(String(text), longest: 80)
    }
}

extension Proxy.Credentials {
    fileprivate func isIn(_ text: String) -> Bool {
        [basic.dropFirst("Basic ".count), user[...], password[...]].contains { !$0.isEmpty && text.contains($0) }
    }
}
