import Logging
import Sallyport
import SallyportStorage

/// The lines of a log.
final class LogJournal: Sendable {
    private let recorded = Locked<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    func add(_ line: String) { recorded.withLock { $0.append(line) } }
}

/// A log handler that records every line.
struct CapturingLog: LogHandler {
    let journal: LogJournal
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        journal.add("\(event.level): \(event.message) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")")
    }

    static func logger(_ journal: LogJournal) -> Logger {
        var logger = Logger(label: "test") { _ in CapturingLog(journal: journal) }
        logger.logLevel = .trace
        return logger
    }
}
