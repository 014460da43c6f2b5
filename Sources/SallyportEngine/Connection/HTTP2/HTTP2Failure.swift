import NIOHTTP2
import SallyportTransport

extension NetworkError {
    static func http2Violation(_ what: String) -> NetworkError {
        .invalidResponse(
            NetworkFailure("the server broke the rules of HTTP/2: \(what)", advice: "try HTTP/1.1 if it goes on")
        )
    }

    /// Says in words which rule of HTTP/2 was broken.
    init(http2 error: any Error) {
        switch error {
        case is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock:
            self = .responseTooLarge(NetworkFailure("a response's head exceeds the limits", phase: .head))
        case is NIOHTTP2Errors.ExcessiveControlFrames:
            self = .http2Violation("a flood of SETTINGS, PING or PRIORITY frames")
        case is NIOHTTP2Errors.ExcessiveRSTFrames: self = .http2Violation("a flood of RST_STREAM frames")
        case is NIOHTTP2Errors.ExcessiveContinuationFrames: self = .http2Violation("a flood of CONTINUATION frames")
        case is NIOHTTP2Errors.ExcessiveEmptyDataFrames: self = .http2Violation("a flood of empty DATA frames")
        case is NIOHTTP2Errors.ExcessiveStreamErrors: self = .http2Violation("too many broken streams")
        case is NIOHTTP2Errors.ExcessiveOutboundFrameBuffering:
            self = .http2Violation("a flood of frames that want an answer, and none read")
        case is NIOHTTP2Errors.UnableToParseFrame:
            let reason = "the server sent something that is not HTTP/2"
            self = .invalidResponse(NetworkFailure(reason, advice: "if it speaks HTTP/1.1 only, allow that"))
        default: self = .http2Violation("\(error)")
        }
        failure.underlying = error
    }
}

extension HTTP2ErrorCode {
    /// The code as RFC 9113, section 7, names it.
    var name: String {
        switch self {
        case .noError: "NO_ERROR"
        case .protocolError: "PROTOCOL_ERROR"
        case .internalError: "INTERNAL_ERROR"
        case .flowControlError: "FLOW_CONTROL_ERROR"
        case .settingsTimeout: "SETTINGS_TIMEOUT"
        case .streamClosed: "STREAM_CLOSED"
        case .frameSizeError: "FRAME_SIZE_ERROR"
        case .refusedStream: "REFUSED_STREAM"
        case .cancel: "CANCEL"
        case .compressionError: "COMPRESSION_ERROR"
        case .connectError: "CONNECT_ERROR"
        case .enhanceYourCalm: "ENHANCE_YOUR_CALM"
        case .inadequateSecurity: "INADEQUATE_SECURITY"
        case .http11Required: "HTTP_1_1_REQUIRED"
        default: "error \(networkCode)"
        }
    }
}
