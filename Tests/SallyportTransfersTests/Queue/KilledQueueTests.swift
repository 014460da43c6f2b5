import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// With `SALLYPORT_QUEUE_KILLS=20`, 20 processes are killed while they run 200 transfers; `SALLYPORT_SEED` selects other
/// moments.
@Suite(.busy) struct KilledQueueTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let kills = environment["SALLYPORT_QUEUE_KILLS"].flatMap { Int($0) } ?? 4
    private static let seed = environment["SALLYPORT_SEED"].flatMap { UInt64($0) } ?? 6

    @Test func `Transfers whose processes are killed repeatedly each end exactly once`() async throws {
        try await withQueueFolder { folder, files in
            let server = CountingServer()
            try await server.serve {
                let plan = Plan(count: Self.kills * 10, server, files)
                try plan.write()
                let queue = try TransferQueue(folder: folder, runner: TestRunner())
                for transfer in plan.transfers { try await queue.enqueue(transfer) }

                let ends = Watched<[String: [TransferReport]]>([:])
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for try await report in queue.updates where report.state.isEnd {
                            ends.update { $0[report.identifier, default: []].append(report) }
                        }
                    }
                    try await killAll(folder, server, chunks: plan.chunks)
                    try await ends.wait("all to end", within: .seconds(60)) { $0.count == plan.transfers.count }
                    group.cancelAll()
                    try await group.waitForAll()
                }
                for (identifier, reports) in ends.value {
                    #expect(reports.count == 1, "\(identifier)")
                    #expect(reports.first?.state == .finished, "\(identifier): \(reports.first?.error ?? "")")
                }
                try plan.check(server)
                let left = ["entries"] + plan.transfers.map { "entries/\($0.identifier).json" }
                #expect(
                    try Set(names(below: folder))
                        == Set(left + ["aside", "changes.lock", "gone", "runner.lock", "uploads"])
                )
            }
        }
    }

    /// Starts processes one after the other, and kills each except the last at a random point of its work.
    private func killAll(_ folder: URL, _ server: CountingServer, chunks: Int) async throws {
        var generator = SeededGenerator(seed: Self.seed)
        for number in 0..<Self.kills {
            let worker = try Worker("TransferWorker", folder.path)
            // The server may still count bytes that it sends to the previous process.
            try await worker.wait(for: "ready")
            // Each process does a similar amount of work before it is killed, and the last one the most.
            let most = max(chunks / (2 * Self.kills), 2)
            let end = server.ticks.value + Int.random(in: 1...most, using: &generator)
            try await server.ticks.wait("worker \(number) to work", within: .patience) { $0 >= end }
            usleep(UInt32.random(in: 0...3_000, using: &generator))
            #expect(try await worker.killAndReadLines() == ["ready"])
        }
        let last = try Worker("TransferWorker", folder.path)
        #expect(try await last.lines() == ["ready", "done"])
    }
}

/// The transfers, and their expected results.
private struct Plan: Sendable {
    private(set) var transfers: [QueuedTransfer] = []
    /// The number of chunks and responses that the server has to send.
    private(set) var chunks = 0
    private var downloads: [URL: Data] = [:]
    private var uploads: [String: (file: URL, body: Data)] = [:]

    init(count: Int, _ server: CountingServer, _ files: URL) {
        for number in 0..<count {
            let size = number % 3 == 0 ? 300_000 + number * 100 : 2_000 + number
            let bytes = CountingServer.bytes(number, count: size)
            let identifier = "transfer-\(number)"
            if number % 2 == 0 {
                let file = files.appendingPathComponent("fetched-\(number).bin")
                let url = server.file(number, count: size)
                downloads[file] = bytes
                transfers.append(.download(url, to: .file(file), identifier: identifier))
                chunks += size / 16_384 + 1
            } else {
                let file = files.appendingPathComponent("sent-\(number).bin")
                let url = server.place(number)
                uploads["/upload/\(number)"] = (file, bytes)
                transfers.append(.upload(.file(file), to: url, identifier: identifier))
                chunks += 2
            }
        }
    }

    /// Writes the files to upload.
    func write() throws {
        for (file, body) in uploads.values { try body.write(to: file) }
    }

    func check(_ server: CountingServer) throws {
        for (file, bytes) in downloads {
            try expectSame(Data(contentsOf: file), bytes, "\(file.lastPathComponent)")
        }
        let taken = server.taken.value
        #expect(taken.count == uploads.count)
        for (path, upload) in uploads { #expect(taken[path] == [upload.body], "\(path)") }
        let files = (downloads.keys + uploads.values.map(\.file)).map(\.lastPathComponent)
        let folder = downloads.keys.first?.deletingLastPathComponent()
        #expect(try folder.map { Set(try names(below: $0)) } == Set(files))
    }
}
