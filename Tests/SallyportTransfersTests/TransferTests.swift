import ClientTestSupport
import Foundation
import Sallyport
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct TransferTests {
    /// Returns a transfer whose attempts wait to be cancelled, or for a signal.
    private func transfer(untilFired signal: Signal, attempts: Watched<Int>) -> Transfer<Int> {
        Transfer { control throws(TransferError) in
            try await control.whileNotPaused { () async throws(TransferError) in
                attempts.update { $0 += 1 }
                do {
                    try await signal.wait()
                } catch {
                    throw TransferError(.network(NetworkError.cancelled("cancelled")))
                }
                return attempts.value
            }
        }
    }

    @Test func `A transfer starts automatically and returns its value`() async throws {
        let transfer = Transfer { control throws(TransferError) in
            control.update(completed: 3, total: 5)
            control.advance(by: 2)
            return "done"
        }
        #expect(try await transfer.value == "done")
        #expect(transfer.currentProgress.state == .finished)
        #expect(transfer.currentProgress.completedBytes == 5)
        #expect(transfer.foundationProgress.completedUnitCount == 5)
        #expect(transfer.foundationProgress.totalUnitCount == 5)
        #expect(transfer.identifier.count == 36)
    }

    @Test func `A finished transfer releases its work and value`() async throws {
        let freed = Signal()
        do {
            let result = FreeingResult(freed: freed)
            let transfer = Transfer { _ throws(TransferError) in result }
            _ = try await transfer.value
        }
        try await freed.wait()
    }

    private final class FreeingResult: Sendable {
        private let freed: Signal

        init(freed: Signal) { self.freed = freed }

        deinit { freed.fire() }
    }

    @Test func `Pausing ends the attempt, and resuming starts another`() async throws {
        let (signal, attempts) = (Signal(), Watched(0))
        let transfer = transfer(untilFired: signal, attempts: attempts)
        try await attempts.wait("the first attempt") { $0 == 1 }
        transfer.pause()
        try await state(.paused, of: transfer)
        #expect(transfer.foundationProgress.isPaused)
        signal.fire()
        #expect(attempts.value == 1)
        transfer.resume()
        #expect(try await transfer.value == 2)
        #expect(!transfer.foundationProgress.isPaused)
    }

    @Test func `A transfer that is paused before it starts waits until it is resumed`() async throws {
        let attempts = Watched(0)
        let gate = Signal()
        let transfer = Transfer { control throws(TransferError) in
            try? await gate.wait()
            return try await control.whileNotPaused { () async throws(TransferError) in
                attempts.update { $0 += 1 }
            }
        }
        transfer.pause()
        gate.fire()
        try await state(.paused, of: transfer)
        #expect(attempts.value == 0)
        transfer.resume()
        _ = try await transfer.value
        #expect(attempts.value == 1)
    }

    @Test func `An attempt that reports a cancellation ends the transfer if nobody has paused it`() async throws {
        let attempts = Watched(0)
        let transfer = Transfer { control throws(TransferError) in
            try await control.whileNotPaused { () async throws(TransferError) in
                attempts.update { $0 += 1 }
                throw TransferError(.network(NetworkError.cancelled("an interceptor gave up")))
            }
        }
        let error = await #expect(throws: TransferError.self) { try await transfer.value }
        guard case .network(.cancelled(let failure))? = error?.reason else { throw try #require(error) }
        #expect(failure.reason == "an interceptor gave up")
        #expect(attempts.value == 1)
    }

    @Test func `The result of an attempt applies even if a pause came before it was observed`() async throws {
        let began = Signal()
        for error in [nil, TransferError(.mismatch("wrong"))] {
            let transfer = Transfer { control throws(TransferError) in
                try await control.whileNotPaused { () async throws(TransferError) in
                    began.fire()
                    while !Task.isCancelled { await Task.yield() }
                    if let error { throw error }
                }
            }
            try await began.wait()
            transfer.pause()
            let result = await transfer.result
            switch (result, error) {
            case (.success, nil): break
            case (.failure(let found), let error?): #expect(found.description == error.description)
            default: Issue.record("\(result)")
            }
        }
    }

    @Test func `Concurrent pauses and resumes leave the transfer running`() async throws {
        let (signal, attempts) = (Signal(), Watched(0))
        let transfer = transfer(untilFired: signal, attempts: attempts)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        transfer.pause()
                        transfer.resume()
                    }
                }
            }
        }
        transfer.resume()
        signal.fire()
        _ = try await withDeadline(.patience, "the transfer") { try await transfer.value }
    }

    @Test func `Cancelling ends a running or paused transfer`() async throws {
        for isPaused in [false, true] {
            let (signal, attempts) = (Signal(), Watched(0))
            let transfer = transfer(untilFired: signal, attempts: attempts)
            try await attempts.wait("the first attempt") { $0 == 1 }
            if isPaused {
                transfer.pause()
                try await state(.paused, of: transfer)
            }
            transfer.cancel()
            try await cancelled(transfer)
            #expect(transfer.foundationProgress.isCancelled)
            #expect(attempts.value == 1)
        }
    }

    @Test func `Foundation's Progress pauses, resumes and cancels the transfer`() async throws {
        let (signal, attempts) = (Signal(), Watched(0))
        let transfer = transfer(untilFired: signal, attempts: attempts)
        try await attempts.wait("the first attempt") { $0 == 1 }
        transfer.foundationProgress.pause()
        try await state(.paused, of: transfer)
        transfer.foundationProgress.resume()
        try await attempts.wait("the second attempt") { $0 == 2 }
        transfer.foundationProgress.cancel()
        try await cancelled(transfer)
    }

    @Test func `Cancelling the awaiting task cancels the transfer`() async throws {
        let (signal, attempts) = (Signal(), Watched(0))
        let transfer = transfer(untilFired: signal, attempts: attempts)
        let waiting = Task { await transfer.result }
        try await attempts.wait("the first attempt") { $0 == 1 }
        waiting.cancel()
        try await cancelled(transfer)
    }

    @Test func `A transfer without references is cancelled`() async throws {
        let ended = Signal()
        func begin() -> Transfer<Void> {
            Transfer { _ throws(TransferError) in
                while !Task.isCancelled { await Task.yield() }
                ended.fire()
            }
        }
        var transfer: Transfer<Void>? = begin()
        #expect(transfer?.currentProgress.state == .waiting)
        transfer = nil
        try await ended.wait()
    }

    @Test func `A reader of the progress keeps the transfer running`() async throws {
        let gate = Signal()
        let ended = Watched<Bool?>(nil)
        func begin() -> Transfer<Void> {
            Transfer { control throws(TransferError) in
                try? await gate.wait()
                ended.update { $0 = Task.isCancelled }
            }
        }
        let progress = begin().progress
        gate.fire()
        var reports = progress.makeAsyncIterator()
        while await reports.next() != nil {}
        #expect(ended.value == false)
    }

    private func state(_ state: TransferProgress.State, of transfer: Transfer<some Sendable>) async throws {
        let reports = transfer.progress
        try await withDeadline(.patience, "the state \(state)") {
            for await report in reports where report.state == state { break }
        }
        #expect(transfer.currentProgress.state == state)
    }

    private func cancelled(_ transfer: Transfer<Int>) async throws {
        let result = try await withDeadline(.patience, "the end") { await transfer.result }
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.isCancellation)
    }
}
