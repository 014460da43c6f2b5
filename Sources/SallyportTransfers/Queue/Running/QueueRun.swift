import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// Performs the transfers of a queue until its task is cancelled, or the queue is empty.
struct QueueRun: Sendable {
    private let store: QueueStore
    private let runner: any TransferRunner
    private let endsWhenEmpty: Bool
    private let active = ActiveTransfers()

    init(_ store: QueueStore, by runner: any TransferRunner, endsWhenEmpty: Bool) {
        self.store = store
        self.runner = runner
        self.endsWhenEmpty = endsWhenEmpty
    }

    /// Waits until no other process runs the queue, and then performs its transfers.
    func callAsFunction() async throws(TransferError) {
        guard let lock = try await acquireLock() else { return }
        defer { lock.unlock() }
        let result: Result<Void, TransferError> = await withDiscardingTaskGroup { group in
            do throws(TransferError) {
                try await work(in: &group)
                return .success(())
            } catch {
                group.cancelAll()
                return .failure(error)
            }
        }
        // Also clean up after a cancellation while the last transfer was ending.
        if let entries = try? await store.entries() {
            try? await store.tidy(entries.filter { $0.end != nil && $0.end?.kind != .failed }, active: [])
        }
        try? await store.publish(nil)
        store.signal.fire()
        try result.get()
    }

    /// - Returns: `nil` once the task is cancelled.
    private func acquireLock() async throws(TransferError) -> QueueLock? {
        let lock = try QueueLock(store.folder.runnerLock)
        while !Task.isCancelled {
            if try lock.tryLock() { return lock }
            try? await store.time.sleep(QueueStore.interval)
        }
        return nil
    }

    private func work(in group: inout DiscardingTaskGroup) async throws(TransferError) {
        try await store.tidyUploads()
        let live = try await store.entries().filter { $0.end == nil && !$0.isPaused }
        await runner.stopAll(except: Set(live.map(\.key)))
        var tidied: Set<String> = []
        var published: [String: QueueProgress]?
        while !Task.isCancelled {
            let version = store.signal.version
            if let failure = active.failure { throw failure }
            // Read before the entries: the end of a transfer is written before it stops being active.
            let running = active.keys
            let entries = try await store.entries()
            let plan = QueuePlan(
                entries,
                running: running,
                concurrency: store.options.concurrency,
                now: store.time.date()
            )
            for key in plan.stop { active.stop(key) }
            let abandoned = try await store.abandonedUploads(active: active.keys)
            for entry in abandoned { _ = active.add(entry.key) }
            group.addTask { [self] in
                await abandoned.forEachConcurrently(atMost: store.options.concurrency) { await cancelUpload(of: $0) }
            }
            // The files of a failed transfer are kept, because it may be retried.
            let over = plan.ended.filter { $0.end?.kind != .failed }
            try await store.tidy(over.filter { !tidied.contains($0.key) }, active: running)
            tidied = Set(over.map(\.key))
            try await store.removeExpired(plan.ended)
            if plan.isEmpty, abandoned.isEmpty, endsWhenEmpty { return }
            for entry in plan.start {
                let stop = active.add(entry.key)
                group.addTask { [self] in await perform(entry, until: stop) }
            }
            let progress = active.progress
            if progress != published {
                try await store.publish(progress)
                if published.map({ Set($0.keys) }) != Set(progress.keys) { store.signal.fire() }
                published = progress
            }
            let wait = plan.wake.map { Duration.seconds(max(0, $0.timeIntervalSince(store.time.date()))) }
            let limit = min(wait ?? QueueStore.interval, QueueStore.interval)
            await store.signal.wait(after: version, upTo: limit, store.time)
        }
        group.cancelAll()
    }

    /// Performs an attempt of a transfer, and writes its outcome.
    private func perform(_ entry: QueueEntry, until stop: AsyncStream<Void>) async {
        do throws(TransferError) {
            switch try await outcome(of: entry, until: stop) {
            case nil: break
            case .success(let outcome): try await finish(entry, outcome)
            case .failure(let error): try await recordFailure(error, of: entry)
            }
        } catch {
            active.fail(error)
        }
        active.remove(entry.key)
        store.signal.fire()
    }

    /// Cancels a cancelled or removed upload at its server. This is tried once, as a server that cannot be reached lets
    /// the upload expire.
    private func cancelUpload(of entry: QueueEntry) async {
        let isConfirmed = await runner.cancelUpload(TransferJob(entry, in: store.folder))
        // If this run was cancelled before the server was notified, the next run does it.
        if isConfirmed || !Task.isCancelled { try? await store.discardAbandoned(entry) }
        active.remove(entry.key)
        store.signal.fire()
    }

    /// Performs an attempt. If the transfer is stopped, also stops the work that would continue without the attempt.
    ///
    /// - Returns: `nil` if the transfer was stopped, or was ended or paused before it began.
    private func outcome(
        of entry: QueueEntry,
        until stop: AsyncStream<Void>
    ) async throws(TransferError) -> Result<TransferOutcome, TransferError>? {
        guard try await store.isUnchanged(entry) else { return nil }
        let job = TransferJob(entry, in: store.folder)
        let outcome = await attempt(job, until: stop)
        if outcome == nil, !Task.isCancelled { await runner.stop(job) }
        return outcome
    }

    /// - Returns: `nil` if the transfer was stopped.
    private func attempt(
        _ job: TransferJob,
        until stop: AsyncStream<Void>
    ) async -> Result<TransferOutcome, TransferError>? {
        await withTaskGroup(of: Result<TransferOutcome, TransferError>?.self) { group in
            group.addTask { [self] in
                do throws(TransferError) {
                    return .success(try await runner.attempt(job) { active.update($0, of: job.key) })
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                for await _ in stop {}
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // A transfer that succeeded just as it was stopped counts as a success.
            if first == nil, let second = await group.next() ?? nil, case .success = second { return second }
            return first
        }
    }

    /// Installs a downloaded file and records the end of the transfer, under the lock of the queue.
    private func finish(_ entry: QueueEntry, _ outcome: TransferOutcome) async throws(TransferError) {
        let date = store.time.date()
        let progress = active.progress[entry.key] ?? QueueProgress()
        do throws(TransferError) {
            try await store.changeUnlessEnded(entry) { [folder = store.folder] entry throws(TransferError) in
                let (result, bytes) = try TransferJob(entry, in: folder).result(of: outcome, sent: progress.completed)
                entry.end = QueueEntry.End(
                    kind: .finished,
                    date: date,
                    result: result,
                    progress: QueueProgress(completed: bytes, total: bytes)
                )
                entry.nextAttempt = nil
                entry.error = nil
            }
        } catch {
            // A file that cannot be installed fails its transfer, but not the queue.
            try await recordFailure(error, of: entry)
        }
    }

    private func recordFailure(_ error: TransferError, of entry: QueueEntry) async throws(TransferError) {
        if Task.isCancelled { return }
        if case .network(.clientClosed) = error.reason { throw error }
        let date = store.time.date()
        let progress = active.progress[entry.key] ?? QueueProgress()
        try await store.changeUnlessEnded(entry) { [retry = store.options.retry] entry in
            entry.recordFailure(error, after: progress, retry, at: date)
        }
    }
}

extension TransferJob {
    /// Installs a downloaded file, and returns the result of the transfer and its number of bytes.
    fileprivate func result(
        of outcome: TransferOutcome,
        sent: Int64
    ) throws(TransferError) -> (TransferReport.Result, Int64) {
        switch outcome {
        case .uploaded(let status, let body):
            return (.response(status: status, body: Data(body.prefix(QueueFormat.maximumResponseSize))), sent)
        case .fetched(let file):
            guard let staging, case .download(let download) = transfer.work else {
                throw TransferError(.mismatch("an upload has no file to fetch"))
            }
            let url = try staging.install(file, for: download)
            guard let length = FileState(url)?.size else { throw QueueDisk.problem(url) }
            return (.file(url, length: length), length)
        }
    }
}

extension [QueueEntry] {
    /// Calls a closure with each entry, a limited number of them in parallel.
    func forEachConcurrently(atMost limit: Int, _ body: @escaping @Sendable (QueueEntry) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, entry) in enumerated() {
                if index >= limit { await group.next() }
                group.addTask { await body(entry) }
            }
        }
    }
}
