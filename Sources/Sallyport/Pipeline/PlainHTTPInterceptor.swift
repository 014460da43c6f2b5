import Logging
import SallyportTransport

/// Refuses requests over plain HTTP to other computers, or logs the first one of the client.
///
/// Apple platforms refuse them by App Transport Security unless the app has an exception. Other platforms send them without notice.
struct PlainHTTPInterceptor: MessageInterceptor {
    /// A Boolean value that indicates whether the requests are sent.
    let isAllowed: Bool
    let logger: Logger?
    let client: ClientState

    var traceName: String { "plain HTTP" }

    func willSend(_ request: inout HttpRequest) throws {
        let origin = try Origin(of: request.head())
        if origin.scheme == .https { return }
        if isAllowed {
            if !origin.isLoopback, let logger, client.recordPlainHTTP() { warn(of: origin, logger) }
            return
        }
        if !origin.isLoopback { throw refusal(of: origin) }
        // The transport also refuses a proxy, which only it knows.
        request.requiresSecureTransport = true
    }

    private func warn(of origin: Origin, _ logger: Logger) {
        logger.warning(
            """
            A request is sent to \(origin.authority) over plain HTTP, which others can read and change in transit. Use https; to refuse \
            plain HTTP, set allowsPlainHTTP to false in the configuration of the client. This warning is logged once.
            """
        )
    }

    private func refusal(of origin: Origin) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the client does not allow plain HTTP, except to loopback addresses, and \(origin.authority) is another computer",
                advice: SettingAdvice.allowPlainHTTP.rawValue
            )
        )
    }
}
