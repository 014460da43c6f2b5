import Foundation
import HTTPTypes
import Logging

/// Loggers for ``HttpClientConfiguration/logger``.
///
/// Any other `Logger` of swift-log can be used as well. Secrets are masked at every level.
///
/// ```swift
/// let client = HttpClient.createClient { config in config.logger = LogManager.standard }
/// ```
public enum LogManager {
    /// Logs each call and its result. Set its `logLevel` to `.trace` to log headers and bodies too.
    public static let standard = logger(.debug)

    /// Logs calls that failed.
    public static let warning = logger(.warning)

    /// Logs nothing.
    public static let none = Logger(label: "sallyport") { _ in SwiftLogNoOpLogHandler() }

    private static func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "sallyport")
        logger.logLevel = level
        return logger
    }

    static func isSilent(_ logger: Logger) -> Bool { logger.handler is SwiftLogNoOpLogHandler }
}

/// Logs each request as it is sent, and its response. Secrets are masked at every level.
struct LoggingInterceptor: Interceptor {
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let start = ContinuousClock.now
        // The secrets that the request sends are masked wherever they reappear. Only the level `trace` shows bodies.
        var masker = SecretMasker(style: .display)
        let isTraced = logger.logLevel <= .trace
        if logger.logLevel <= .debug { masker.collectSecrets(of: request, includesBody: isTraced) }
        if isTraced { logger.trace("\(Redaction.message(request, &masker))") }
        do {
            let response = try await next(request)
            logger.debug(
                "\(Redaction.line(request, &masker)) -> \(response.status.code) in \(milliseconds(since: start)) ms"
            )
            if logger.logLevel <= .trace { logger.trace("\(Redaction.message(response, &masker))") }
            return response
        } catch {
            let level = Task.isCancelled ? Logger.Level.debug : .error
            masker.collectSecrets(of: request)
            logger.log(
                level: level,
                "\(Redaction.line(request, &masker)) failed after \(milliseconds(since: start)) ms: \(error)"
            )
            throw error
        }
    }

    private func milliseconds(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .milliseconds(1))
    }
}
