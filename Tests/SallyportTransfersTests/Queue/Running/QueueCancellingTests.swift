import Foundation
import SallyportStorage
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// Queued uploads that are cancelled or removed while their server keeps part of them.
@Suite(.concurrencyLimited) struct QueueCancellingTests {
    private static let creation: Script = [
        .receiveHead, .send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /u/1\r\n\r\n"), .stall,
    ]

    private static func answer(_ status: String) -> Script { [.receiveHead, .send("HTTP/1.1 \(status)\r\n\r\n")] }

    /// Runs a closure with a queue that has an upload, and a server that responds to requests to cancel it.
    private func withUpload(
        _ answers: [String] = ["204 No Content"],
        _ body: @escaping @Sendable (TransferQueue, ScriptedServer, URL) async throws -> Void
    ) async throws {
        try await withQueueFolder { folder, files in
            try await withScriptedServer([Self.creation] + answers.map(Self.answer)) { server in
                let file = files.appendingPathComponent("file.bin")
                try Data(count: 2_000_000).write(to: file)
                let queue = try TransferQueue(folder: folder, client: HttpClient.createClient())
                try await queue.enqueue(.upload(.file(file), to: "http://\(server.authority)/", identifier: "one"))
                try await body(queue, server, folder)
            }
        }
    }

    private func uploads(_ folder: URL) -> URL { folder.appendingPathComponent("uploads") }

    /// Waits until the server has announced the upload resource.
    private func begun(_ folder: URL) async throws {
        let uploads = uploads(folder)
        _ = try await #require(
            eventually {
                uploads.fileNames.compactMap { name in
                    UploadJournal.entry(at: uploads.appendingPathComponent(name))?.resource
                }
                .first
            }
        )
    }

    /// Waits until all files of the upload have been removed.
    private func ended(_ folder: URL) async throws {
        let kept = ["uploads", "gone"].map { folder.appendingPathComponent($0) }
        let isEmpty = try await eventually { kept.allSatisfy(\.fileNames.isEmpty) ? true : nil }
        #expect(isEmpty == true)
    }

    @Test(arguments: [true, false], [true, false])
    func `Cancelling or removing a running upload from any process cancels it at the server`(
        isOwn: Bool,
        isRemoved: Bool
    ) async throws {
        try await withUpload { queue, server, folder in
            let ender = isOwn ? queue : try TransferQueue(folder: folder)
            try await running(queue) {
                try await begun(folder)
                if isRemoved { try await ender.remove("one") } else { try await ender.cancel("one") }
                try await ended(folder)
            }
            #expect(server.requests.map(\.method) == ["POST", "DELETE"])
            #expect(server.requests.last?.target == "/u/1")
            #expect(try await queue.transfers().map(\.state) == (isRemoved ? [] : [.cancelled]))
        }
    }

    @Test(arguments: [true, false])
    func `Cancelling or removing an upload while no process runs it cancels it at the server at once`(isRemoved: Bool)
        async throws
    {
        try await withUpload { queue, server, folder in
            try await running(queue) { try await begun(folder) }
            if isRemoved { try await queue.remove("one") } else { try await queue.cancel("one") }
            #expect(server.requests.map(\.method) == ["POST", "DELETE"])
            #expect(uploads(folder).fileNames.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `The next run cancels at the server an upload that a process without a client has ended`(isRemoved: Bool)
        async throws
    {
        try await withUpload { queue, server, folder in
            try await running(queue) { try await begun(folder) }
            let other = try TransferQueue(folder: folder)
            if isRemoved { try await other.remove("one") } else { try await other.cancel("one") }
            #expect(server.requests.map(\.method) == ["POST"])
            try await queue.runUntilEmpty()
            #expect(server.requests.map(\.method) == ["POST", "DELETE"])
            try await ended(folder)
        }
    }

    @Test func `If the server does not confirm the cancellation, the next run repeats it once`() async throws {
        let refusal = "503 Service Unavailable\r\nContent-Length: 0"
        try await withUpload([refusal, refusal]) { queue, server, folder in
            try await running(queue) { try await begun(folder) }
            try await queue.cancel("one")
            #expect(try await queue.transfers().map(\.state) == [.cancelled])
            try await queue.runUntilEmpty()
            try await queue.runUntilEmpty()
            #expect(server.requests.map(\.method) == ["POST", "DELETE", "DELETE"])
            try await ended(folder)
        }
    }

    @Test func `A cancellation is not sent to another origin than that of the upload`() async throws {
        try await withUpload { queue, server, folder in
            try await running(queue) { try await begun(folder) }
            try await withScriptedServer([]) { other in
                let journal = try uploads(folder).appendingPathComponent(#require(uploads(folder).fileNames.first))
                var entry = try #require(UploadJournal.entry(at: journal))
                entry.resource = "http://\(other.authority)/u/1"
                try PrivateFile.replace(journal, with: JSONEncoder().encode(entry))
                try await queue.cancel("one")
                try await queue.runUntilEmpty()
                #expect(other.acceptedConnections == 0)
                #expect(server.requests.map(\.method) == ["POST"])
                try await ended(folder)
            }
        }
    }
}
