import Logging
import Sallyport

/// A log handler that records every line.
package struct CapturingLog: LogHandler {
    private let journal: Journal
    package var metadata: Logger.Metadata = [:]
    package var logLevel = Logger.Level.trace

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        journal.add("\(event.level): \(event.message) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")")
    }

    /// Returns a logger that records its lines in a journal.
    package static func logger(_ journal: Journal, level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test") { _ in CapturingLog(journal: journal) }
        logger.logLevel = level
        return logger
    }
}
