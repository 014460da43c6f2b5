import SallyportTransport

extension NetworkError {
    /// What libcurl's text says, as FoundationNetworking reports most of its failures as unknown ones.
    ///
    /// Texts of the Apple platforms have none of these words.
    init?(libcurl text: String, phase: ExchangePhase) {
        func says(_ fragments: String...) -> Bool { fragments.contains { text.contains($0) } }

        if says("Empty reply from server", "Recv failure", "Send failure", "Connection died") {
            let failure = NetworkFailure("the connection was lost: \(text)", phase: phase, advice: "try again")
            self = phase == .body ? .incompleteBody(failure) : .connectionLost(failure)
        } else if says("transfer closed with") {
            self = .incompleteBody(NetworkFailure("the body is cut short: \(text)", phase: .body))
        } else if says("SSL certificate problem", "certificate subject name") {
            let advice = "check the host's name, and that its certificate comes from an authority of the system"
            self = .certificateRefused(
                NetworkFailure("the certificate is refused: \(text)", phase: .tls, advice: advice)
            )
        } else if says("SSL", "TLS") {
            self = .tlsFailed(NetworkFailure("the TLS handshake failed: \(text)", phase: .tls))
        } else if says("content unencoding", "content encoding") {
            self = .undecodableBody(NetworkFailure("the body cannot be decoded: \(text)", phase: .body))
        } else if says("Too large response headers", "Out of memory in chunked-encoding") {
            self = .responseTooLarge(NetworkFailure("the head or trailers are too large: \(text)", phase: phase))
        } else if says("Content-Length", "chunked-encoding", "eader") {
            self = .invalidResponse(NetworkFailure("the response is not valid: \(text)", phase: phase))
        } else {
            return nil
        }
    }
}
