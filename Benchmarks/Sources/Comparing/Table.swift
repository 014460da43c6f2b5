import Foundation

/// Formats rows as text for a terminal, or as Markdown.
package enum Table {
    private static let header = ["case", "client", "CPU/call", "wall/call", "memory", "to libcurl", "target: measured"]

    package static func text(_ rows: [Row]) -> String {
        let lines = [header] + cells(of: rows)
        let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
                .joined(separator: "  ")
                .trimmed()
        }
        .joined(separator: "\n")
    }

    package static func markdown(_ rows: [Row]) -> String {
        let lines = [header, header.map { _ in "---" }] + cells(of: rows)
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    private static func cells(of rows: [Row]) -> [[String]] {
        var last = ""
        return rows.map { row in
            defer { last = row.name }
            return [
                row.name == last ? "" : row.name,
                row.client,
                time(row.medians.cpuMicroseconds),
                time(row.medians.wallMicroseconds),
                row.medians.rssMB.map { "\(number($0, 1)) MB" } ?? "",
                row.ratio.map { "\(number($0.median, 2)) (\(number($0.lowest, 2))–\(number($0.highest, 2)))" } ?? "",
                row.verdicts.map(\.description).joined(separator: "; "),
            ]
        }
    }

    private static func time(_ microseconds: Double) -> String {
        switch microseconds {
        case ..<1000: "\(number(microseconds, 1)) µs"
        case ..<100_000: "\(number(microseconds / 1e3, 2)) ms"
        default: "\(number(microseconds / 1e6, 2)) s"
        }
    }
}

func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

extension String {
    fileprivate func trimmed() -> String { String(reversed().drop { $0 == " " }.reversed()) }
}
