import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers

/// Runs the transfers of a queue and shows their progress.
struct QueueWork: Sendable {
    /// The interval for reading changes by other processes.
    private static let interval = Duration.milliseconds(200)
    /// The maximum number of transfers that a message names.
    private static let maximumNamed = 5

    private let display: TransferDisplay
    private let client: TransferClient
    private let queueOptions: QueueOptions
    private let queue: TransferQueue
    private let watch: QueueWatch

    /// - Throws: ``CommandFailure`` for the first option that cannot be used.
    init(_ options: QueueWorkOptions) async throws {
        display = options.display
        let servers = options.server.map { [$0] } ?? []
        for server in servers { try RequestURL.check(server.text) }
        client = try await TransferClient(options, for: servers, display: display)
        var settings = TransferQueueOptions()
        settings.concurrency = options.atOnce
        settings.rateLimit = try options.connection.rateLimit()
        if options.retries.isUsed {
            settings.retry = options.retries.policy(replacing: settings.retry)
            settings.transferRetry = options.retries.policy(replacing: .exponential(attempts: 5))
            // Only the queue retries, so that --retry is the total number of retries.
            if options.retries.retry != nil { settings.transferRetry?.attempts = 1 }
        }
        queueOptions = options.queue
        queue = try queueOptions.open(client: client.client, options: settings)
        watch = QueueWatch(display, queueOptions)
    }

    /// Runs the transfers until all have ended, or until the task is cancelled.
    func run(untilEmpty: Bool) async throws {
        do {
            try await work(untilEmpty: untilEmpty)
            try await client.finish()
        } catch {
            try? await client.finish()
            throw error
        }
        guard untilEmpty else { return }
        if Task.isCancelled {
            let command = queueOptions.command("watch")
            display.warn("stopped; unfinished transfers stay in the queue, to resume: \(command)")
            throw CancellationError()
        }
        reportPaused(watch.paused)
        if watch.hasFailures { throw CommandFailure(.other) }
    }

    /// Prints the number of paused transfers and the command that resumes them.
    private func reportPaused(_ paused: [String]) {
        if paused.isEmpty { return }
        let more = paused.count > Self.maximumNamed ? " and so on; \(queueOptions.command("list")) shows all" : ""
        let command = queueOptions.command("resume", Array(paused.prefix(Self.maximumNamed)))
        display.inform("\(paused.count) paused, to resume: \(command)\(more)")
    }

    private func work(untilEmpty: Bool) async throws {
        try await watch.begin(with: queue.transfers())
        if untilEmpty, watch.isDone {
            await queue.notifyServers(isLast: true)
            return display.inform("There is nothing to do in the queue.")
        }
        try await display.whileShown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { untilEmpty ? try await queue.runUntilEmpty() : try await queue.run() }
                // Another process may run the transfers, and continue to run when all have ended.
                group.addTask {
                    while !Task.isCancelled {
                        watch.update(try await queue.transfers())
                        if untilEmpty, watch.isDone { return }
                        try? await Task.sleep(for: Self.interval)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
            watch.update(try await queue.transfers())
        }
    }
}

/// The known state of the transfers of a queue. It reports each change once.
final class QueueWatch: Sendable {
    private struct State: Sendable {
        var reports: [String: TransferReport] = [:]
        var hasFailures = false
    }

    private let display: TransferDisplay
    private let queueOptions: QueueOptions
    private let state = Locked(State())

    /// - Parameter queueOptions: The options that select the queue, for the commands in messages.
    init(_ display: TransferDisplay, _ queueOptions: QueueOptions) {
        self.display = display
        self.queueOptions = queueOptions
    }

    /// A Boolean value that indicates whether a transfer has failed since ``begin(with:)``.
    var hasFailures: Bool { state.withLock { $0.hasFailures } }

    /// A Boolean value that indicates whether all transfers have ended or are paused.
    var isDone: Bool { state.withLock { $0.reports.values.allSatisfy { $0.state.isEnd || $0.state == .paused } } }

    /// The identifiers of the paused transfers, oldest first.
    var paused: [String] {
        let reports = state.withLock { $0.reports.values.filter { $0.state == .paused } }
        return reports.sorted { ($0.enqueued, $0.identifier) < ($1.enqueued, $1.identifier) }.map(\.identifier)
    }

    /// Sets the initial state. Transfers that have already ended are not reported.
    func begin(with reports: [TransferReport]) {
        state.withLock { state in
            for report in reports where report.state.isEnd { state.reports[report.identifier] = report }
        }
        update(reports)
    }

    /// Updates the state and reports the changes.
    func update(_ reports: [TransferReport]) {
        let old = state.withLock { state in
            let old = state.reports
            state.reports = Dictionary(reports.map { ($0.identifier, $0) }) { $1 }
            return old
        }
        for report in reports { self.report(report, before: old[report.identifier]) }
        let gone = Set(old.keys).subtracting(reports.map(\.identifier))
        for identifier in gone { display.remove(identifier) }
        display.setWaiting(reports.count { $0.state == .waiting })
    }

    private func report(_ report: TransferReport, before old: TransferReport?) {
        let identifier = report.identifier
        if report.state == .running, old?.state != .running {
            display.add(identifier, name: report.name) { [weak self] in
                self?.progress(of: identifier) ?? report.progress
            }
        } else if report.state != .running, old?.state == .running {
            display.remove(identifier)
        }
        if let reason = report.progress.startedOver, report.state == .running, reason != old?.progress.startedOver {
            display.inform("\(report.name): starts over because \(reason)")
        }
        guard report.state != old?.state || report.failedAttempts != old?.failedAttempts else { return }
        switch report.state {
        case .finished: display.inform(Self.summary(of: report))
        case .failed:
            state.withLock { $0.hasFailures = true }
            let command = queueOptions.command("retry", [identifier])
            display.warn(
                "\(report.name): \(report.error.map(SettingAdvice.inOptions) ?? "failed"); to retry: \(command)"
            )
        case .cancelled: display.inform("\(report.name): cancelled")
        case .waiting:
            if let error = report.error {
                display.warn("\(report.name): \(SettingAdvice.inOptions(error)); retrying later")
            }
        case .running, .paused: break
        }
    }

    private func progress(of identifier: String) -> TransferProgress? {
        state.withLock { $0.reports[identifier]?.progress }
    }

    private static func summary(of report: TransferReport) -> String {
        switch report.result {
        case .file(let url, let length): "\(FileNames.short(url)): \(Format.size(length))"
        case .response(let status, _):
            "\(report.name): sent; the server answered \(HttpStatus(code: status).summary)"
        case nil: "\(report.name): done"
        }
    }
}
