import Foundation
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkError {
    /// Creates an error from the failure of a session's task.
    ///
    /// - Parameters:
    ///   - error: The session's error.
    ///   - phase: The phase of the exchange.
    ///   - host: The host of the call.
    init(sessionError error: any Error, phase: ExchangePhase, host: String) {
        self =
            NetworkError(libcurl: error.localizedDescription, phase: phase)
            ?? NetworkError(code: (error as? URLError)?.code ?? .unknown, of: error, phase: phase, host: host)
        failure.underlying = error
    }

    private init(code: URLError.Code, of error: any Error, phase: ExchangePhase, host: String) {
        func failure(_ reason: String, _ phase: ExchangePhase, advice: String? = nil) -> NetworkFailure {
            NetworkFailure(reason, phase: phase, advice: advice)
        }
        switch code {
        case .cancelled:
            self = .cancelled(failure("the task was cancelled", phase))
        case .timedOut:
            self = .timeout(failure("the system's timeout was exceeded", phase, advice: "try again"))
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            self = .networkUnavailable(
                failure("no network is available", .connect, advice: "try again when one is available")
            )
        case .cannotFindHost, .dnsLookupFailed:
            self = .hostNotFound(failure("the host \(host) has no address", .resolve, advice: "check the host's name"))
        case .cannotConnectToHost:
            self = .connectionFailed(
                failure("\(host) refuses the connection", .connect, advice: "check the port, and that a server runs")
            )
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid:
            self = .certificateRefused(
                failure(
                    "the certificate of \(host) is not trusted",
                    .tls,
                    advice: SettingAdvice.trustUnknownAuthority.rawValue
                )
            )
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
            self = .tlsFailed(failure("the TLS handshake with \(host) failed", .tls))
        case .appTransportSecurityRequiresSecureConnection:
            self = .invalidRequest(failure("App Transport Security forbids plain HTTP", .connect, advice: "use https"))
        case .badURL:
            self = .invalidRequest(failure("URLSession cannot use the URL", .send, advice: "use the engine"))
        case .unsupportedURL:
            // Schemes have been checked. libcurl reports this error for responses in other protocols.
            self = .invalidResponse(failure("the received data is not an HTTP/1.1 response", phase))
        case .cannotDecodeContentData, .cannotDecodeRawData:
            self = .undecodableBody(failure("the body does not have its declared content coding", .body))
        case .badServerResponse, .cannotParseResponse:
            self = .invalidResponse(failure("the received data is not a valid response", phase))
        case .networkConnectionLost, .zeroByteResource:
            self =
                phase == .body
                ? .incompleteBody(failure("the connection ended before the end of the body", phase))
                : .connectionLost(failure("the connection ended before the response", phase, advice: "try again"))
        default:
            self = .networkError(failure(error.localizedDescription, phase))
        }
    }
}

extension NetworkError {
    /// Creates an error from libcurl's text, as FoundationNetworking reports most failures as unknown. Returns `nil` for other texts.
    ///
    /// The texts of Apple platforms do not contain these words.
    init?(libcurl text: String, phase: ExchangePhase) {
        func contains(_ fragments: String...) -> Bool { fragments.contains { text.contains($0) } }

        if contains("Empty reply from server", "Recv failure", "Send failure", "Connection died") {
            let failure = NetworkFailure("the connection was lost: \(text)", phase: phase, advice: "try again")
            self = phase == .body ? .incompleteBody(failure) : .connectionLost(failure)
        } else if contains("transfer closed with") {
            self = .incompleteBody(NetworkFailure("the body ended early: \(text)", phase: .body))
        } else if contains("SSL certificate problem", "certificate subject name") {
            let advice = "check the host's name, and that its certificate comes from an authority of the system"
            self = .certificateRefused(
                NetworkFailure("the certificate is refused: \(text)", phase: .tls, advice: advice)
            )
        } else if contains("SSL", "TLS") {
            self = .tlsFailed(NetworkFailure("the TLS handshake failed: \(text)", phase: .tls))
        } else if contains("content unencoding", "content encoding") {
            self = .undecodableBody(NetworkFailure("the body cannot be decoded: \(text)", phase: .body))
        } else if contains("Too large response headers", "Out of memory in chunked-encoding") {
            self = .responseTooLarge(NetworkFailure("the head or trailers are too large: \(text)", phase: phase))
        } else if contains("Content-Length", "chunked-encoding", "eader") {
            self = .invalidResponse(NetworkFailure("the response is not valid: \(text)", phase: phase))
        } else {
            return nil
        }
    }
}
