import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// The transfers that a queue accepts, and the ones that it keeps.
@Suite(.concurrencyLimited) struct TransferQueueTests {
    @Test func `A transfer is stored for later processes, and so is its result`() async throws {
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

    @Test func `Adding the same transfer twice keeps one with the later priority`() async throws {
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

    @Test func `Another transfer with the same identifier is refused`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            let other = QueuedTransfer.download(
                "https://example.com/",
                to: .folder(files),
                identifier: "one"
            )
            let text = await refusal { () throws(TransferError) in try await queue.enqueue(other) }
            let problem = "\"one\" exists with a different download or upload; remove it, or choose another identifier"
            #expect(text.contains(problem))
            #expect(try await queue.transfers().count == 1)
        }
    }

    @Test func `A missing file or folder is refused when the transfer is added`() async throws {
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
            #expect(download == "\(missing.path): there is no such folder; create it first")
            #expect(try await queue.transfers().isEmpty)
        }
    }

    @Test func `The number of transfers is limited`() async throws {
        try await withQueueFolder { folder, files in
            var options = TransferQueueOptions()
            options.maximumTransfers = 2
            let queue = try TransferQueue(folder: folder, runner: TestRunner(), options: options)
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("two", in: files))
            let text = await refusal { () throws(TransferError) in
                let three = try? QueuedTransfer.test("three", in: files)
                if let three { try await queue.enqueue(three) }
            }
            #expect(text.hasSuffix("it holds 2 transfers, which is the maximum; remove some"))
            try await queue.enqueue(.test("one", in: files))
        }
    }

    @Test func `Operations on a missing transfer name it in the error`() async throws {
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

    @Test func `Results are retained for a limited time and number`() async throws {
        try await withQueueFolder { folder, files in
            let time = StandingTime()
            var options = TransferQueueOptions()
            options.retainedResults = 2
            options.retention = .seconds(100)
            options.concurrency = 1
            let runner = TestRunner { _ throws(TransferError) in
                time.pass(.milliseconds(1))
                return .uploaded(status: 200, body: Data())
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
}
