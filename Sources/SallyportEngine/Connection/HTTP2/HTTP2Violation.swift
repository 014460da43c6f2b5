import SallyportTransport

/// A violation of the HTTP/2 protocol by a server, which ends its connection.
struct HTTP2Violation: Error {
    /// The code that is sent to the server.
    let code: HTTP2ErrorCode
    /// The error for the callers.
    let error: NetworkError

    static func broken(_ rule: String, _ code: HTTP2ErrorCode = .protocolError) -> HTTP2Violation {
        HTTP2Violation(code: code, error: .http2Violation(rule))
    }

    static func flood(of what: String) -> HTTP2Violation { broken("a flood of \(what)", .enhanceYourCalm) }

    static func length(of frame: String) -> HTTP2Violation { broken("\(frame) of an invalid length", .frameSizeError) }

    static var largeHead: HTTP2Violation {
        let advice = SettingAdvice.raiseHeadLimits.rawValue
        let failure = NetworkFailure("a response's head exceeds the limits", phase: .head, advice: advice)
        return HTTP2Violation(code: .enhanceYourCalm, error: .responseTooLarge(failure))
    }

    static var notHTTP2: HTTP2Violation {
        let reason = "the server sent something that is not HTTP/2"
        let advice = SettingAdvice.http1AfterInvalidResponse.rawValue
        return HTTP2Violation(
            code: .protocolError,
            error: .invalidResponse(NetworkFailure(reason, advice: advice))
        )
    }
}

extension NetworkError {
    static func http2Violation(_ what: String) -> NetworkError {
        .invalidResponse(
            NetworkFailure("the server violated the HTTP/2 protocol: \(what)", advice: SettingAdvice.tryHTTP1.rawValue)
        )
    }
}

/// An error code: the reason for ending a stream or a connection (RFC 9113, section 7).
struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    static let noError = HTTP2ErrorCode(rawValue: 0)
    static let protocolError = HTTP2ErrorCode(rawValue: 1)
    static let flowControlError = HTTP2ErrorCode(rawValue: 3)
    static let frameSizeError = HTTP2ErrorCode(rawValue: 6)
    static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    static let cancel = HTTP2ErrorCode(rawValue: 8)
    static let compressionError = HTTP2ErrorCode(rawValue: 9)
    static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
    static let http11Required = HTTP2ErrorCode(rawValue: 13)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    var name: String { rawValue < Self.names.count ? Self.names[Int(rawValue)] : "error \(rawValue)" }
}
