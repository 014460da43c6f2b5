import ClientTestSupport
import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct QueueFolderTests {
    @Test func `The queue's folder and files are private`() async throws {
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

    @Test func `A folder that others can write to is refused`() async throws {
        try await withQueueFolder { folder, _ in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            chmod(folder.path, 0o777)
            let text = await refusal { () throws(TransferError) in
                _ = try TransferQueue(folder: folder, runner: TestRunner())
            }
            #expect(text.hasSuffix("is writable by others: chmod 700 it, or use another folder"))
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{\"format\":\"sallyport-transfer\",\"version\":2}",
        TextArgument(String(repeating: "[", count: 9_999)),
    ])
    func `A damaged entry is set aside and reported, and the others run`(argument: TextArgument) async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("two", in: files))
            try Data(argument.text.utf8).write(to: folder.appendingPathComponent("entries/one.json"))
            try await queue.runUntilEmpty()
            #expect(try await queue.transfers().map(\.identifier) == ["two"])
            #expect(try await queue.transfers().map(\.state) == [.finished])
            let problems = try await queue.problems()
            #expect(problems.count == 1)
            #expect(problems.first?.contains("aside/one.json was found among the transfers") == true)
            // The identifier is free again.
            try await queue.enqueue(.test("one", in: files))
            try Data(argument.text.utf8).write(to: folder.appendingPathComponent("entries/one.json"))
            #expect(try await queue.transfers().map(\.identifier) == ["two"])
            #expect(try await queue.problems().count == 2)
        }
    }

    @Test func `Files that are not entries are set aside`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            let entries = folder.appendingPathComponent("entries")
            let manager = FileManager.default
            try manager.createDirectory(at: entries.appendingPathComponent("folder"), withIntermediateDirectories: true)
            try manager.createSymbolicLink(atPath: entries.path + "/link.json", withDestinationPath: "one.json")
            try manager.copyItem(atPath: entries.path + "/one.json", toPath: entries.path + "/other.json")
            try manager.copyItem(atPath: entries.path + "/one.json", toPath: entries.path + "/open.json")
            chmod(entries.path + "/open.json", 0o644)
            mkfifo(entries.path + "/pipe.json", 0o600)
            try Data(count: 600_000).write(to: entries.appendingPathComponent("long.json"))
            #expect(try await queue.transfers().map(\.identifier) == ["one"])
            #expect(try names(below: entries) == ["one.json"])
            #expect(try await queue.problems().count == 6)
            try Data().write(to: folder.appendingPathComponent("notes.txt"))
            #expect(
                try await queue.problems().last?.hasSuffix("notes.txt does not belong to the queue, and is ignored")
                    == true
            )
        }
    }

    @Test func `The number of files that are set aside is limited, and other files remain in place`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            for number in 0..<(QueueFolder.maximumSetAside + 5) {
                try Data().write(to: folder.appendingPathComponent("entries/strange-\(number)"))
            }
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            #expect(try await queue.transfers().map(\.state) == [.finished])
            #expect(try names(below: folder.appendingPathComponent("entries")).count == 6)
            #expect(try names(below: folder.appendingPathComponent("aside")).count == QueueFolder.maximumSetAside)
        }
    }

    @Test func `Incomplete files of a killed process are ignored and removed`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try Data("half".utf8).write(to: folder.appendingPathComponent("entry.new"))
            try Data("half".utf8).write(to: folder.appendingPathComponent("running.new"))
            try Data("half".utf8).write(to: folder.appendingPathComponent("running"))
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            #expect(try await queue.transfers().map(\.state) == [.finished])
            #expect(
                try names(below: folder) == [
                    "aside", "changes.lock", "entries", "entries/one.json", "gone", "runner.lock", "uploads",
                ]
            )
        }
    }

    @Test func `A transfer that is too large to store is refused`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            _ = try QueuedTransfer.test("one", in: files)
            let part = QueuedUpload.Part(name: "a", file: files.appendingPathComponent("sent.bin"))
            let form = QueuedUpload.Content.form(Array(repeating: part, count: 10_000))
            let text = await refusal { () throws(TransferError) in
                try await queue.enqueue(.upload(form, to: "https://example.com/", identifier: "many"))
            }
            #expect(text.contains("the transfer many takes"))
            #expect(text.contains("split it into several"))
        }
    }

    @Test func `The stored response body of an upload is limited`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner { _ throws(TransferError) in .uploaded(status: 200, body: Data(count: 1 << 20)) }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            #expect(try await queue.result(of: "one").result == .response(status: 200, body: Data(count: 64 << 10)))
        }
    }

    @Test func `Concurrent additions by many queues are all stored`() async throws {
        try await withQueueFolder { folder, files in
            _ = try QueuedTransfer.test("one", in: files)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let queue = try TransferQueue(folder: folder, runner: TestRunner())
                        for item in 0..<5 { try await queue.enqueue(.test("t\(number)-\(item)", in: files)) }
                    }
                }
                try await group.waitForAll()
            }
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            #expect(try await queue.transfers().count == 40)
        }
    }
}
