import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite struct TransferQueueTests {
    @Test func `A transfer is there for the next process, and its end for whoever asks later`() async throws {
        try await withQueueFolder { folder, files in
            let first = try TransferQueue(folder: folder, runner: TestRunner())
            let transfer = try QueuedTransfer.test("one", in: files)
            #expect(try await first.enqueue(transfer) == "one")

            let second = try TransferQueue(folder: folder, runner: TestRunner())
            #expect(try await second.transfers().map(\.transfer) == [transfer])
            #expect(try await second.transfers().map(\.state) == [.waiting])
            try await second.runUntilEmpty()

            let third = try TransferQueue(folder: folder, runner: TestRunner())
            let report = try await third.result(of: "one")
            #expect(report.state == .finished)
            #expect(report.result == .response(status: 201, body: Data("made".utf8)))
            #expect(report.ended != nil)
            #expect(try await third.transfers() == [report])
        }
    }

    @Test func `The folder is for its owner alone`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            for name in try [""] + names(below: folder) {
                let path = folder.appendingPathComponent(name).path
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
            }
        }
    }

    @Test func `A folder that others can write in is refused`() async throws {
        try await withQueueFolder { folder, _ in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            chmod(folder.path, 0o777)
            let text = await refusal { () throws(TransferError) in
                _ = try TransferQueue(folder: folder, runner: TestRunner())
            }
            #expect(text.hasSuffix("others can write in it: chmod 700 it, or use another"))
        }
    }

    @Test func `The same transfer twice is one, and takes the later priority`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("one", in: files, priority: .high))
            let reports = try await queue.transfers()
            #expect(reports.map(\.transfer.priority) == [.high])
            try await queue.runUntilEmpty()
            try await queue.enqueue(.test("one", in: files))
            #expect(try await queue.transfers().map(\.state) == [.finished])
        }
    }

    @Test func `Another transfer of the same identifier is refused`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            let other = QueuedTransfer.download(
                "https://example.com/",
                to: .folder(files),
                identifier: "one"
            )
            let text = await refusal { () throws(TransferError) in try await queue.enqueue(other) }
            #expect(text.contains("\"one\" is another one already; remove that one, or choose another identifier"))
            #expect(try await queue.transfers().count == 1)
        }
    }

    @Test func `A file or folder that is not there is told at once`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            let missing = files.appendingPathComponent("missing")
            let upload = await refusal { () throws(TransferError) in
                try await queue.enqueue(.upload(.file(missing), to: "https://example.com/"))
            }
            #expect(upload == "\(missing.path): cannot be read")
            let download = await refusal { () throws(TransferError) in
                try await queue.enqueue(
                    .download("https://example.com/", to: .file(missing.appendingPathComponent("a")))
                )
            }
            #expect(download == "\(missing.path): there is no such folder; make it first")
            #expect(try await queue.transfers().isEmpty)
        }
    }

    @Test func `There is a limit to how many there are`() async throws {
        try await withQueueFolder { folder, files in
            var options = TransferQueueOptions()
            options.mostTransfers = 2
            let queue = try TransferQueue(folder: folder, runner: TestRunner(), options: options)
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("two", in: files))
            let text = await refusal { () throws(TransferError) in
                let three = try? QueuedTransfer.test("three", in: files)
                if let three { try await queue.enqueue(three) }
            }
            #expect(text.hasSuffix("it holds 2 transfers, which are the most; remove some"))
            try await queue.enqueue(.test("one", in: files))
        }
    }

    @Test func `No more are made at a time than the limit, those of a high priority first`() async throws {
        try await withQueueFolder { folder, files in
            let begun = Watched(0)
            let runner = TestRunner { _ throws(TransferError) in
                begun.update { $0 += 1 }
                try? await begun.wait("three to begin") { $0 >= 3 }
                return .answered(status: 200, body: Data())
            }
            var options = TransferQueueOptions()
            options.concurrency = 3
            let queue = try TransferQueue(folder: folder, runner: runner, options: options)
            for number in 0..<9 { try await queue.enqueue(.test("t\(number)", in: files)) }
            for number in 0..<3 { try await queue.enqueue(.test("h\(number)", in: files, priority: .high)) }
            try await queue.runUntilEmpty()
            #expect(runner.most.value.most == 3)
            #expect(Set(runner.begun.value.prefix(3)) == ["h0", "h1", "h2"])
            #expect(runner.begun.value.count == 12)
            #expect(try await queue.transfers().allSatisfy { $0.state == .finished })
        }
    }

    @Test func `One that fails is begun again when its time has come, and fails in the end`() async throws {
        try await withQueueFolder { folder, files in
            let time = StandingTime(passesBySleeping: true)
            let dates = Watched<[Date]>([])
            let runner = TestRunner { _ throws(TransferError) in
                dates.update { $0.append(time.date) }
                throw TransferError(.network(.connectionLost("lost")))
            }
            var options = TransferQueueOptions()
            options.retry = RetryPolicy(attempts: 3, backoff: .constant(.seconds(30)))
            let queue = try TransferQueue(folder: folder, runner: runner, options: options, time: time.retryTime)
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            let report = try await queue.result(of: "one")
            #expect(report.state == .failed)
            #expect(report.error == "lost")
            #expect(report.failedAttempts == 3)
            #expect(report.nextAttempt == nil)
            #expect(dates.value.count == 3)
            for (earlier, later) in zip(dates.value, dates.value.dropFirst()) {
                #expect((30...31).contains(later.timeIntervalSince(earlier)))
            }
        }
    }

    @Test func `One that waits for its next attempt says when, and waits for it in the next process, too`() async throws
    {
        try await withQueueFolder { folder, files in
            let time = StandingTime()
            let runner = TestRunner { _ throws(TransferError) in throw TransferError(.network(.timeout("late"))) }
            var options = TransferQueueOptions()
            options.retry = RetryPolicy(attempts: 3, backoff: .constant(.seconds(30)))
            let queue = try TransferQueue(folder: folder, runner: runner, options: options, time: time.retryTime)
            try await queue.enqueue(.test("one", in: files))
            try await running(queue) {
                for try await report in queue.updates where report.failedAttempts == 1 && report.state == .waiting {
                    #expect(report.error == "late")
                    #expect(report.nextAttempt == time.date + 30)
                    break
                }
            }
            let next = try TransferQueue(folder: folder, runner: runner, options: options, time: time.retryTime)
            try await next.enqueue(.test("two", in: files))
            try await running(next) {
                try await runner.begun.wait("the other to begin") { $0.last == "two" }
            }
            #expect(runner.begun.value == ["one", "two"])
        }
    }

    @Test func `What another attempt would not mend fails at once, and can be asked for again`() async throws {
        try await withQueueFolder { folder, files in
            let isMended = Watched(false)
            let runner = TestRunner { _ throws(TransferError) in
                if isMended.value { return .answered(status: 200, body: Data()) }
                throw TransferError(.diskFull(files))
            }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            let failed = try await queue.result(of: "one")
            #expect(failed.state == .failed)
            #expect(failed.error == TransferError(.diskFull(files)).description)
            isMended.update { $0 = true }
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            #expect(try await queue.result(of: "one") == failed)
            try await queue.retry("one")
            try await queue.runUntilEmpty()
            #expect(try await queue.result(of: "one").state == .finished)
            #expect(try await queue.result(of: "one").error == nil)
            try await queue.retry("one")
            #expect(try await queue.result(of: "one").state == .finished)
        }
    }

    @Test func `A closed client leaves the transfers in the queue`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner { _ throws(TransferError) in throw TransferError(.network(.clientClosed("closed")))
            }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            #expect(await refusal { () throws(TransferError) in try await queue.runUntilEmpty() } == "closed")
            #expect(try await queue.transfers().map(\.state) == [.waiting])
        }
    }

    @Test func `What is under way when the run is cancelled is waiting then`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner(untilCancelled)
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await running(queue) {
                try await runner.begun.wait("it to begin") { $0 == ["one"] }
            }
            let report = try #require(await queue.transfers().first)
            #expect(report.state == .waiting)
            #expect(report.failedAttempts == 0)
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("running").path))
        }
    }

    @Test func `One that runs can be cancelled, by another process too, and has one end`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner(untilCancelled)
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("two", in: files))
            let other = try TransferQueue(folder: folder, runner: TestRunner())
            try await running(queue) {
                try await runner.begun.wait("both to begin") { $0.count == 2 }
                try await queue.cancel("one")
                try await other.cancel("two")
                try await runner.most.wait("both to stop") { $0.now == 0 }
            }
            let reports = try await queue.transfers()
            #expect(reports.map(\.state) == [.cancelled, .cancelled])
            try await queue.cancel("one")
            #expect(try await queue.transfers() == reports)
            #expect(runner.begun.value.count == 2)
        }
    }

    @Test func `One that finishes just as it is cancelled has the end that was written first`() async throws {
        try await withQueueFolder { folder, files in
            let isCancelled = Signal()
            let runner = TestRunner { _ throws(TransferError) in
                try? await isCancelled.wait()
                return .answered(status: 200, body: Data())
            }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await running(queue) {
                try await runner.begun.wait("it to begin") { $0 == ["one"] }
                try await queue.cancel("one")
                isCancelled.fire()
                try await runner.most.wait("it to stop") { $0.now == 0 }
            }
            #expect(try await queue.result(of: "one").state == .cancelled)
        }
    }

    @Test func `One that is paused stops, and goes on when it is resumed`() async throws {
        try await withQueueFolder { folder, files in
            let mayFinish = Watched(false)
            let runner = TestRunner { job throws(TransferError) in
                if mayFinish.value { return .answered(status: 200, body: Data()) }
                return try await untilCancelled(job)
            }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await running(queue) {
                try await runner.begun.wait("it to begin") { $0 == ["one"] }
                try await queue.pause("one")
                #expect(try await queue.transfers().map(\.state) == [.paused])
                try await runner.most.wait("it to stop") { $0.now == 0 }
                mayFinish.update { $0 = true }
                try await queue.resume("one")
                #expect(try await queue.result(of: "one").state == .finished)
            }
            #expect(runner.begun.value == ["one", "one"])
        }
    }

    @Test func `What is paused does not keep the queue from being empty`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("two", in: files))
            try await queue.pause("one")
            try await queue.runUntilEmpty()
            #expect(try await queue.transfers().map(\.state) == [.paused, .finished])
        }
    }

    @Test func `One that is removed is forgotten, and what runs is stopped`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner(untilCancelled)
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("two", in: files))
            try await queue.remove("two")
            #expect(try await queue.transfers().map(\.identifier) == ["one"])
            try await running(queue) {
                try await runner.begun.wait("it to begin") { $0 == ["one"] }
                try await queue.remove("one")
                try await runner.most.wait("it to stop") { $0.now == 0 }
            }
            #expect(try await queue.transfers().isEmpty)
            let text = await refusal { () throws(TransferError) in _ = try await queue.result(of: "one") }
            #expect(text.hasSuffix("the queue has no transfer \"one\""))
            try await queue.runUntilEmpty()
            #expect(try names(below: folder.appendingPathComponent("gone")).isEmpty)
        }
    }

    @Test func `A transfer that is not there is told by name, whatever is asked`() async throws {
        try await withQueueFolder { folder, _ in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            for name in ["missing", "../entries/one", ""] {
                let text = "\(folder.path): the queue has no transfer \"\(name)\""
                #expect(await refusal { () throws(TransferError) in try await queue.cancel(name) } == text)
                #expect(await refusal { () throws(TransferError) in try await queue.pause(name) } == text)
                #expect(await refusal { () throws(TransferError) in try await queue.resume(name) } == text)
                #expect(await refusal { () throws(TransferError) in try await queue.retry(name) } == text)
                #expect(await refusal { () throws(TransferError) in try await queue.remove(name) } == text)
                #expect(await refusal { () throws(TransferError) in _ = try await queue.result(of: name) } == text)
            }
        }
    }

    @Test func `Ends are kept for a time and up to a number`() async throws {
        try await withQueueFolder { folder, files in
            let time = StandingTime()
            var options = TransferQueueOptions()
            options.keptEnds = 2
            options.keptEndsFor = .seconds(100)
            options.concurrency = 1
            let runner = TestRunner { _ throws(TransferError) in
                time.pass(.milliseconds(1))
                return .answered(status: 200, body: Data())
            }
            let queue = try TransferQueue(folder: folder, runner: runner, options: options, time: time.retryTime)
            for name in ["a", "b", "c"] { try await queue.enqueue(.test(name, in: files)) }
            try await queue.enqueue(.test("p", in: files))
            try await queue.pause("p")
            try await queue.runUntilEmpty()
            #expect(Set(try await queue.transfers().map(\.identifier)) == ["b", "c", "p"])
            time.pass(.seconds(101))
            try await queue.runUntilEmpty()
            #expect(try await queue.transfers().map(\.identifier) == ["p"])
        }
    }

    @Test func `Whoever reads the updates is told of each transfer as it stands, and then of what changes`()
        async throws
    {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            var updates = queue.updates.makeAsyncIterator()
            #expect(try await updates.next()?.state == .waiting)
            try await queue.enqueue(.test("two", in: files))
            #expect(try await updates.next()?.identifier == "two")
            try await queue.pause("one")
            #expect(try await updates.next()?.state == .paused)
            let other = try TransferQueue(folder: folder, runner: TestRunner())
            try await other.runUntilEmpty()
            var last: [String: TransferReport.State] = [:]
            while last != ["two": .finished] {
                let report = try #require(await updates.next())
                last[report.identifier] = report.state
            }
        }
    }

    @Test func `How far a transfer has come is told to other processes`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner(untilCancelled)
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            let other = try TransferQueue(folder: folder, runner: TestRunner())
            try await running(queue) {
                for try await report in other.updates where report.progress.completedBytes == 10 {
                    #expect(report.state == .running)
                    #expect(report.progress.totalBytes == 40)
                    break
                }
            }
            #expect(try await other.transfers().map(\.state) == [.waiting])
        }
    }

    @Test func `One process makes the transfers, and the next takes over when that one is gone`() async throws {
        try await withQueueFolder { folder, files in
            let first = TestRunner(untilCancelled)
            let second = TestRunner()
            let queue = try TransferQueue(folder: folder, runner: first)
            let other = try TransferQueue(folder: folder, runner: second)
            try await queue.enqueue(.test("one", in: files))
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await running(queue) {
                    try await first.begun.wait("the first to begin") { $0 == ["one"] }
                    group.addTask { try await other.runUntilEmpty() }
                    try await queue.enqueue(.test("two", in: files))
                    try await first.begun.wait("the first to begin both") { $0.count == 2 }
                    #expect(second.begun.value.isEmpty)
                }
                try await group.waitForAll()
            }
            #expect(Set(second.begun.value) == ["one", "two"])
            #expect(try await other.transfers().map(\.state) == [.finished, .finished])
        }
    }

    @Test func `A wait for a transfer ends with its task`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    let text = await refusal { () throws(TransferError) in _ = try await queue.result(of: "one") }
                    #expect(text.contains("the wait for the transfer one was cancelled"))
                }
                group.cancelAll()
            }
        }
    }
}
