import Foundation
import SallyportTransfers
import TestSupport

@testable import Sallyport
@testable import SallyportTransfers

/// A runner whose attempts are defined by a test, and which records them.
final class TestRunner: TransferRunner {
    typealias Attempt = @Sendable (TransferJob) async throws(TransferError) -> TransferOutcome

    /// The identifiers of the attempts, in the order in which they started.
    let begun = Watched<[String]>([])
    /// The maximum number of attempts that ran in parallel.
    let most = Watched((now: 0, most: 0))
    private let body: Attempt

    init(_ body: @escaping Attempt = { _ in .uploaded(status: 201, body: Data("made".utf8)) }) {
        self.body = body
    }

    func attempt(
        _ job: TransferJob,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome {
        begun.update { $0.append(job.transfer.identifier) }
        most.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        defer { most.update { $0.now -= 1 } }
        report(TransferProgress(state: .running, completedBytes: 10, totalBytes: 40))
        return try await body(job)
    }
}

/// Waits until the task is cancelled, as an attempt.
let untilCancelled: TestRunner.Attempt = { _ throws(TransferError) in
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
    throw TransferError(.network(.cancelled("cancelled")))
}

/// A clock that stands still until a test advances it, or that advances immediately when something sleeps.
final class StandingTime: Sendable {
    private let passed = Watched(Duration.zero)
    private let passesBySleeping: Bool

    init(passesBySleeping: Bool = false) {
        self.passesBySleeping = passesBySleeping
    }

    var retryTime: TimeSource {
        TimeSource(
            now: { self.passed.value },
            date: { self.date },
            sleep: { delay in
                let end = self.passed.value + delay
                if self.passesBySleeping { self.passed.update { $0 = max($0, end) } }
                try await self.passed.wait("the time to pass", within: .seconds(60)) { $0 >= end }
            }
        )
    }

    var date: Date { Date(timeIntervalSince1970: 1_800_000_000) + passed.value / .seconds(1) }

    func pass(_ duration: Duration) { passed.update { $0 += duration } }
}

extension QueuedTransfer {
    /// Returns an upload of an existing file.
    static func test(_ identifier: String, in folder: URL, priority: Priority = .normal) throws -> QueuedTransfer {
        let file = folder.appendingPathComponent("sent.bin")
        if !FileManager.default.fileExists(atPath: file.path) { try Data("sent".utf8).write(to: file) }
        return .upload(.file(file), to: "http://127.0.0.1/u", identifier: identifier, priority: priority)
    }
}

/// Runs a closure with a folder for a queue, and another folder for files.
func withQueueFolder<Result: Sendable>(_ body: (_ queue: URL, _ files: URL) async throws -> Result) async throws
    -> Result
{
    try await withTemporaryDirectory { folder in
        let files = folder.appendingPathComponent("files", isDirectory: true)
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: false)
        return try await body(folder.appendingPathComponent("queue", isDirectory: true), files)
    }
}

/// Runs a queue while a closure runs.
func running<Result: Sendable>(_ queue: TransferQueue, _ body: () async throws -> Result) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await queue.run() }
        let result = try await body()
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}

/// Returns the description of the error that a queue's call throws.
func refusal(_ call: () async throws(TransferError) -> Void) async -> String {
    do throws(TransferError) {
        try await call()
        return ""
    } catch {
        return error.description
    }
}

/// Returns the names of all files below a folder.
func names(below folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
}
