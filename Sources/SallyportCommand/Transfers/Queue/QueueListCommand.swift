import ArgumentParser
import Foundation
import Sallyport
import SallyportTransfers

/// Lists the transfers of the queue.
struct QueueListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists all transfers, including those that have ended. Secrets in URLs are masked."
    )

    @Flag(help: "Print a JSON array with an object for each transfer.")
    var json = false

    @OptionGroup(title: "Queue Options")
    var queue: QueueOptions

    func run() async throws {
        var (reports, problems): ([TransferReport], [String]) = ([], [])
        if queue.exists {
            (reports, problems) = try await queue.withQueue { queue in
                (try await queue.transfers(), try await queue.problems())
            }
        }
        for problem in problems { StandardError.print("sallyport: \(problem)") }
        if json { return print(try JsonText.indented(reports.map(QueueListEntry.init))) }
        if reports.isEmpty { StandardError.print("The queue is empty.") }
        for line in QueueTable.lines(reports) { print(line) }
    }
}

/// A transfer as `queue list --json` shows it.
private struct QueueListEntry: Encodable {
    let id: String
    let kind: String
    let state: String
    let priority: String
    let url: String
    let files: [String]
    let completedBytes: Int64
    let totalBytes: Int64?
    let status: Int?
    let error: String?
    let failedAttempts: Int
    let enqueued: Date
    let nextAttempt: Date?
    let ended: Date?

    init(_ report: TransferReport) {
        id = report.identifier
        state = report.state.rawValue
        priority = "\(report.transfer.priority)"
        kind = report.isUpload ? "upload" : "download"
        url = Redaction.text(report.url)
        files = report.files
        completedBytes = report.progress.completedBytes
        totalBytes = report.progress.totalBytes
        if case .response(let code, _) = report.result { status = code } else { status = nil }
        error = report.error.map(SettingAdvice.inOptions)
        failedAttempts = report.failedAttempts
        enqueued = report.enqueued
        nextAttempt = report.nextAttempt
        ended = report.ended
    }
}

/// Formats the transfers of a queue in columns.
enum QueueTable {
    static func lines(_ reports: [TransferReport]) -> [String] {
        let rows = reports.map { report in
            [report.identifier, report.state.rawValue, size(of: report), summary(of: report)].map {
                VisibleText.line($0)
            }
        }
        return TextColumns.lines(rows)
    }

    private static func size(of report: TransferReport) -> String {
        let progress = report.progress
        // There is no partial file after a cancellation, or after a failure that followed the last byte.
        if report.state == .cancelled || report.state == .failed && progress.fraction == 1 { return "-" }
        if report.state == .finished { return Format.size(progress.completedBytes) }
        if report.state == .waiting || report.state == .paused, progress.completedBytes > 0 {
            return "\(Format.size(progress.completedBytes, of: progress.totalBytes)) saved"
        }
        let share = progress.fraction.map { "\(Int($0 * 100))% of \(Format.size(progress.totalBytes ?? 0))" }
        return progress.completedBytes > 0 ? share ?? Format.size(progress.completedBytes) : "-"
    }

    private static func summary(of report: TransferReport) -> String {
        let files = report.files.map { FileNames.short(URL(fileURLWithPath: $0)) }.joined(separator: ", ")
        let url = Redaction.text(report.url)
        let summary = report.isUpload ? "\(files) -> \(url)" : "\(url) -> \(files)"
        return summary + (report.error.map { " (\(SettingAdvice.inOptions($0)))" } ?? "")
    }
}

extension TransferReport {
    /// A Boolean value that indicates whether the transfer is an upload.
    var isUpload: Bool {
        if case .upload = transfer.work { return true }
        return false
    }

    /// The URL of the transfer.
    var url: String {
        switch transfer.work {
        case .download(let download): download.url
        case .upload(let upload): upload.url
        }
    }

    /// The paths of the uploaded files, or of the file or folder of the download.
    var files: [String] {
        if case .file(let url, _) = result { return [url.path] }
        switch transfer.work {
        case .download(let download):
            switch download.destination {
            case .file(let url), .folder(let url): return [url.path]
            }
        case .upload(let upload):
            switch upload.content {
            case .file(let url): return [url.path]
            case .form(let parts): return parts.map(\.file.path)
            }
        }
    }

    /// The name of the transfer in messages.
    var name: String {
        if !isUpload, case .download(let download) = transfer.work, case .folder = download.destination, result == nil {
            return FileNames.last(of: url)
        }
        let name = files.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? identifier
        return files.count > 1 ? "\(name) and \(files.count - 1) more" : name
    }
}
