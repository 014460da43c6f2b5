import Foundation
import Sallyport

/// The times of the phases of a call, for `--timings`.
enum Timings {
    /// Returns a table: for each request that was sent, the durations of its phases, and the duration of the call.
    static func lines(_ call: MeasuredCall) -> [String] {
        var rows: [(name: String, time: Duration?)] = []
        for exchange in call.exchanges {
            if call.exchanges.count > 1 {
                let status = exchange.response.map { " -> \($0.status.code)" } ?? ""
                rows.append(("\(exchange.method) \(Redaction.text(exchange.url))\(status)", nil))
            }
            for (name, time) in exchange.response.map({ phases(of: $0.connection) }) ?? [] { rows.append((name, time)) }
        }
        if let last = call.exchanges.last, let firstByte = last.response?.connection.firstByte {
            rows.append(("body", max(call.end - last.start - firstByte, .zero)))
        }
        rows.append(("total", call.total))
        let times = rows.map { $0.time.map(Format.time) ?? "" }
        let width = times.map(\.count).max() ?? 0
        return zip(rows, times).map { row, time in
            guard row.time != nil else { return VisibleText.line(row.name) }
            return TextColumns.padded(row.name, to: 11) + String(repeating: " ", count: width - time.count) + time
        }
    }

    /// Returns the phases of an exchange that are known, each with its own duration.
    static func phases(of connection: ConnectionFacts) -> [(String, Duration)] {
        let opening = connection.openingTime
        let sent = connection.requestSent.map { max($0, opening) }
        let phases: [(String, Duration?)] = [
            ("resolve", connection.resolve),
            ("connect", connection.connect),
            ("TLS", connection.tls),
            ("sent", sent.map { $0 - opening }),
            ("first byte", connection.firstByte.map { max($0 - (sent ?? opening), .zero) }),
        ]
        return phases.compactMap { name, time in time.map { (name, $0) } }
    }
}
