import SallyportTransport

/// What a server has done against the rules of HTTP/2, so that its connection has to end.
struct HTTP2Violation: Error {
    /// What the server is told.
    let code: HTTP2ErrorCode
    /// What the callers are told.
    let error: NetworkError

    static func broken(_ rule: String, _ code: HTTP2ErrorCode = .protocolError) -> HTTP2Violation {
        HTTP2Violation(code: code, error: .http2Violation(rule))
    }

    static func flood(of what: String) -> HTTP2Violation { broken("a flood of \(what)", .enhanceYourCalm) }

    static func length(of frame: String) -> HTTP2Violation { broken("\(frame) of a wrong length", .frameSizeError) }

    static var largeHead: HTTP2Violation {
        let error = NetworkError.responseTooLarge(NetworkFailure("a response's head exceeds the limits", phase: .head))
        return HTTP2Violation(code: .enhanceYourCalm, error: error)
    }

    static var foreign: HTTP2Violation {
        let reason = "the server sent something that is not HTTP/2"
        let advice = SettingAdvice.http1AfterForeignAnswer.rawValue
        return HTTP2Violation(
            code: .protocolError,
            error: .invalidResponse(NetworkFailure(reason, advice: advice))
        )
    }
}

extension NetworkError {
    static func http2Violation(_ what: String) -> NetworkError {
        .invalidResponse(
            NetworkFailure("the server broke the rules of HTTP/2: \(what)", advice: "try HTTP/1.1 if it goes on")
        )
    }
}
