import Foundation
import Sallyport

/// Makes the transfers of a queue, and shows how they come along.
struct QueueWork: Sendable {
    /// How often it is looked what other processes have done.
    private static let interval = Duration.milliseconds(200)
    /// How many transfers are named in a line.
    private static let mostNamed = 5

    private let display: TransferDisplay
    private let client: TransferClient
    private let place: QueueOptions
    private let queue: TransferQueue
    private let watch: QueueWatch

    /// - Throws: ``CommandFailure`` naming the first thing that cannot be used.
    init(_ options: QueueWorkOptions) async throws {
        display = options.client.display
        let servers = options.server.map { [$0] } ?? []
        for server in servers { try RequestURL.check(server.text) }
        client = try await TransferClient(options.client, for: servers, display: display)
        var queueOptions = TransferQueueOptions()
        queueOptions.concurrency = options.atOnce
        if let policy = options.client.retries.transferPolicy {
            // The queue begins it again, and so the transfer does not go on by itself: the number given is that of all.
            queueOptions.retry = policy
            queueOptions.transferRetry = policy
            queueOptions.transferRetry?.attempts = 1
        }
        place = options.queue
        queue = try place.open(client: client.client, options: queueOptions)
        watch = QueueWatch(display, place)
    }

    /// Makes them until all have ended, or for as long as the task lasts.
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
            let command = place.command("watch")
            display.warn("stopped; what has not ended stays in the queue, and goes on with \(command)")
            throw CancellationError()
        }
        tellPaused(watch.paused)
        if watch.hasFailures { throw CommandFailure(.other) }
    }

    /// Says which transfers are paused, and how they go on.
    private func tellPaused(_ paused: [String]) {
        if paused.isEmpty { return }
        let more = paused.count > Self.mostNamed ? " and so on; \(place.command("list")) shows them all" : ""
        let command = place.command("resume", Array(paused.prefix(Self.mostNamed)))
        display.tell("\(paused.count) paused: \(command)\(more)")
    }

    private func work(untilEmpty: Bool) async throws {
        try await watch.begin(with: queue.transfers())
        if untilEmpty, watch.isEmpty {
            await queue.notifyServers(isLast: true)
            return display.tell("There is nothing to do in the queue.")
        }
        try await display.whileShown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { untilEmpty ? try await queue.runUntilEmpty() : try await queue.run() }
                // Another process may make them, and go on when all have ended.
                group.addTask {
                    while !Task.isCancelled {
                        watch.note(try await queue.transfers())
                        if untilEmpty, watch.isEmpty { return }
                        try? await Task.sleep(for: Self.interval)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
            watch.note(try await queue.transfers())
        }
    }
}

/// What is known of the transfers of a queue, and what has been told of them.
final class QueueWatch: Sendable {
    private struct State: Sendable {
        var reports: [String: TransferReport] = [:]
        var hasFailures = false
    }

    private let display: TransferDisplay
    private let place: QueueOptions
    private let state = Locked(State())

    /// - Parameter place: Which queue it is, for the commands that are shown.
    init(_ display: TransferDisplay, _ place: QueueOptions) {
        self.display = display
        self.place = place
    }

    /// Whether a transfer failed since the beginning.
    var hasFailures: Bool { state.withLock { $0.hasFailures } }

    /// Whether all have ended but those that are paused.
    var isEmpty: Bool { state.withLock { $0.reports.values.allSatisfy { $0.state.isEnd || $0.state == .paused } } }

    /// Those that are paused, in the order in which they came.
    var paused: [String] {
        let reports = state.withLock { $0.reports.values.filter { $0.state == .paused } }
        return reports.sorted { ($0.enqueued, $0.identifier) < ($1.enqueued, $1.identifier) }.map(\.identifier)
    }

    /// Takes note of how they stand at first. Of those that have ended nothing is told.
    func begin(with reports: [TransferReport]) {
        state.withLock { state in
            for report in reports where report.state.isEnd { state.reports[report.identifier] = report }
        }
        note(reports)
    }

    /// Takes note of how they stand, and tells what is new.
    func note(_ reports: [TransferReport]) {
        let old = state.withLock { state in
            let old = state.reports
            state.reports = Dictionary(reports.map { ($0.identifier, $0) }) { $1 }
            return old
        }
        for report in reports { note(report, before: old[report.identifier]) }
        let gone = Set(old.keys).subtracting(reports.map(\.identifier))
        for identifier in gone { display.remove(identifier) }
        display.setWaiting(reports.count { $0.state == .waiting })
    }

    private func note(_ report: TransferReport, before old: TransferReport?) {
        let identifier = report.identifier
        if report.state == .running, old?.state != .running {
            display.add(identifier, name: report.name) { [weak self] in
                self?.progress(of: identifier) ?? report.progress
            }
        } else if report.state != .running, old?.state == .running {
            display.remove(identifier)
        }
        if let reason = report.progress.startedOver, report.state == .running, reason != old?.progress.startedOver {
            display.tell("\(report.name): starts over, as \(reason)")
        }
        guard report.state != old?.state || report.failedAttempts != old?.failedAttempts else { return }
        switch report.state {
        case .finished: display.tell(Self.words(for: report))
        case .failed:
            state.withLock { $0.hasFailures = true }
            let command = place.command("retry", [identifier])
            display.warn(
                "\(report.name): \(report.error.map(SettingAdvice.inOptions) ?? "failed"); again with \(command)"
            )
        case .cancelled: display.tell("\(report.name): cancelled")
        case .waiting:
            if let error = report.error {
                display.warn("\(report.name): \(SettingAdvice.inOptions(error)); trying again later")
            }
        case .running, .paused: break
        }
    }

    private func progress(of identifier: String) -> TransferProgress? {
        state.withLock { $0.reports[identifier]?.progress }
    }

    private static func words(for report: TransferReport) -> String {
        switch report.result {
        case .file(let url, let length): "\(FileNames.short(url)): \(Format.size(length))"
        case .response(let status, _):
            "\(report.name): sent; the server answered \(HttpStatus(code: status).words)"
        case nil: "\(report.name): done"
        }
    }
}
