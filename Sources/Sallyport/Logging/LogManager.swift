import Logging

/// Loggers for ``HttpClientConfiguration/logger``.
///
/// Any other `Logger` of swift-log does as well. Secrets are masked at every level.
///
/// ```swift
/// let client = HttpClient.createClient { config in config.logger = LogManager.standard }
/// ```
public enum LogManager {
    /// Logs each call and how it ended. Set its `logLevel` to `.trace` to see headers and bodies too.
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
