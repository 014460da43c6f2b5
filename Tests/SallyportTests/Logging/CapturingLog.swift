import ClientTestSupport
import Logging
import Sallyport

/// A log handler that records every line.
struct CapturingLog: LogHandler {
    let journal: Journal
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        journal.add("\(event.level): \(event.message) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")")
    }

    static func logger(_ journal: Journal, level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test") { _ in CapturingLog(journal: journal) }
        logger.logLevel = level
        return logger
    }
}
