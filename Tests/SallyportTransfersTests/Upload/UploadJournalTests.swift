import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers
@testable import SallyportGateway

/// Uploads that a later process continues.
@Suite(.concurrencyLimited) struct UploadJournalTests {
    private static let bytes = TestBytes.data(2_000_000)

    @Test func `A later process resumes at the server's offset and removes the journal`() async throws {
        try await withUpload { proxy, file, journal in
            try await breakOff(proxy, file, journal)
            let mode = try FileManager.default.attributesOfItem(atPath: journal.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let entry = try #require(UploadJournal.entry(at: journal))
            #expect((1...2_000_000).contains(entry.sent ?? 0))
            #expect(entry.length ?? 0 == 2_000_000)
            let sent = proxy.sentCount
            let answer = try await finish(proxy, file, journal)
            #expect(answer == UploadAnswer(of: Self.bytes))
            #expect(proxy.sentCount - sent < 2_000_000)
            #expect(!FileManager.default.fileExists(atPath: journal.path))
        }
    }

    @Test(arguments: [true, false])
    func `A file or body that has changed is sent from its beginning`(isFile: Bool) async throws {
        try await withUpload { proxy, file, journal in
            try await breakOff(proxy, file, journal)
            let other = TestBytes.data(2_000_000, seed: 2)
            try other.write(to: file)
            let transfer = upload(proxy, isFile ? .file(file) : .data(other), journal)
            #expect(try await transfer.value.decode(UploadAnswer.self) == UploadAnswer(of: other))
            let name = isFile ? "file" : "body"
            #expect(transfer.currentProgress.startedOver == "the \(name) has changed since")
        }
    }

    @Test func `A damaged journal and one of another upload are ignored`() async throws {
        try await withUpload { proxy, file, journal in
            try await breakOff(proxy, file, journal)
            let entry = try #require(UploadJournal.entry(at: journal))
            var foreign = entry
            foreign.resource = "http://127.0.0.1:1/uploads/x"
            foreign.mayBeComplete = false
            var other = entry
            other.upload = "another"
            for kept in [try JSONEncoder().encode(foreign), try JSONEncoder().encode(other), Data("{".utf8), Data()] {
                try kept.write(to: journal)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: journal.path)
                #expect(try await finish(proxy, file, journal) == UploadAnswer(of: Self.bytes))
            }
        }
    }

    @Test func `An upload that the server has lost starts over, even without retries`() async throws {
        try await withUpload { proxy, file, journal in
            try await breakOff(proxy, file, journal)
            var entry = try #require(UploadJournal.entry(at: journal))
            entry.resource? += "x"
            entry.mayBeComplete = false
            try JSONEncoder().encode(entry).write(to: journal)
            var options = UploadOptions()
            options.journal = journal
            options.retry = .never
            let transfer = HttpClient.createClient().upload(options: options) { request in
                request.url = "http://127.0.0.1:\(proxy.port)/uploads"
                request.body = .file(file)
            }
            #expect(try await transfer.value.decode(UploadAnswer.self) == UploadAnswer(of: Self.bytes))
            #expect(transfer.currentProgress.startedOver == "the server has lost the upload")
        }
    }

    @Test func `A POST that may have been processed is not repeated by a later process`() async throws {
        try await withUpload { proxy, file, journal in
            try await breakOff(proxy, file, journal)
            var entry = try #require(UploadJournal.entry(at: journal))
            entry.mayBeComplete = true
            entry.resource = nil
            try JSONEncoder().encode(entry).write(to: journal)
            let sent = proxy.sentCount
            await expectError(\TransferError.kind, "mismatch") { try await finish(proxy, file, journal) }
            #expect(proxy.sentCount == sent)
        }
    }

    @Test func `A later process resumes a form with the boundary in the journal`() async throws {
        try await withUpload { proxy, file, journal in
            var options = UploadOptions.quick
            options.journal = journal
            #expect(options.keptBoundary == nil)
            let form = Self.form(file)
            let expected = try await UploadAnswer(of: form.body())
            options.retry = .never
            let broken = HttpClient.createClient().upload(options: options) { request in
                request.url = "http://127.0.0.1:\(proxy.port)/uploads"
                request.multipart(form)
            }
            guard case .failure = await broken.result else {
                Issue.record("it was not cut")
                return
            }
            #expect(options.keptBoundary == form.boundary)
            let sent = proxy.sentCount
            let again = HttpClient.createClient().upload(options: options) { request in
                request.url = "http://127.0.0.1:\(proxy.port)/uploads"
                request.setHeader(name: "Content-Type", value: form.contentType)
                request.setMethod(.post)
                request.body = (try? form.body()) ?? .none
            }
            #expect(try await again.value.decode(UploadAnswer.self) == expected)
            #expect(proxy.sentCount - sent < 2_000_000)
        }
    }

    @Test func `An upload with the journal of a running upload fails before sending a request`() async throws {
        try await withTemporaryDirectory { directory in
            let (taken, gate) = (Signal(), Signal())
            let answer = ScriptStep.send("HTTP/1.1 204 No Content\r\n\r\n")
            let held: Script = [.receiveRequest, .fire(taken), .waitFor(gate), answer]
            try await withScriptedServer([held, [.receiveRequest, answer]]) { server in
                var options = UploadOptions.quick
                options.journal = directory.appendingPathComponent("upload.journal")
                let journal = try #require(options.journal)
                let request = makeRequest("http://\(server.authority)/") { request in
                    request.setMethod(.post)
                    request.body = .data(Data("abc".utf8))
                }
                let first = HttpClient.createClient().upload(request, options: options)
                try await taken.wait()
                let kept = try Data(contentsOf: journal)
                let second = HttpClient.createClient().upload(request, options: options)
                guard case .failure(let error) = await second.result, case .inUse(journal) = error.reason else {
                    Issue.record("both have it")
                    return
                }
                let keptStill = try Data(contentsOf: journal)
                #expect(keptStill == kept)
                #expect(server.acceptedConnections == 1)
                gate.fire()
                let response = try await first.value
                // The result of the first one still exists, and does not keep the journal locked.
                _ = try await HttpClient.createClient().upload(request, options: options).value
                #expect(response.status == .noContent)
                #expect(server.acceptedConnections == 2)
                let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                #expect(left == [])
            }
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock"), "the test needs flock"))
    func `A journal locked by another process can be used when that process has ended`() async throws {
        try await withTemporaryDirectory { directory in
            let journal = directory.appendingPathComponent("upload.journal")
            try await withUpload { proxy, file, _ in try await breakOff(proxy, file, journal) }
            let entry = try #require(UploadJournal.entry(at: journal))
            let holder = Process()
            holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            holder.arguments = ["flock", "--no-fork", journal.path, "sh", "-c", "echo taken; exec sleep 60"]
            let output = Pipe()
            holder.standardOutput = output
            try holder.run()
            let said = await runBlocking { output.fileHandleForReading.availableData }
            #expect(said == Data("taken\n".utf8))
            expectError(\TransferError.kind, "inUse") { try UploadJournal(at: journal) }
            kill(holder.processIdentifier, SIGKILL)
            await runBlocking { holder.waitUntilExit() }
            let taken = try UploadJournal(at: journal)
            #expect(taken.previous == entry)
        }
    }

    /// Returns the outcome of an upload with a journal, whose server has announced the upload resource.
    private func end(
        by ending: @escaping @Sendable (Transfer<HttpResponse>) -> Void,
        _ check: @escaping @Sendable (ScriptedServer, URL) throws -> Void
    ) async throws {
        let creation: Script = [
            .receiveHead, .send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /u/1\r\n\r\n"), .stall,
        ]
        let deletion: Script = [.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")]
        try await withTemporaryDirectory { directory in
            let journal = directory.appendingPathComponent("upload.journal")
            try await withScriptedServer([creation, deletion]) { server in
                let file = directory.appendingPathComponent("file.bin")
                try Self.bytes.write(to: file)
                var options = UploadOptions.quick
                options.journal = journal
                let transfer = HttpClient.createClient().upload(options: options) { request in
                    request.url = "http://\(server.authority)/"
                    request.body = .file(file)
                }
                _ = try await #require(eventually { UploadJournal.entry(at: journal)?.resource })
                ending(transfer)
                guard case .failure(let error) = await transfer.result else {
                    Issue.record("it was not ended")
                    return
                }
                #expect(error.isCancellation)
                try check(server, journal)
            }
        }
    }

    @Test(arguments: [true, false])
    func `A cancelled upload is cancelled at the server, and its journal is removed`(byProgress: Bool) async throws {
        try await end { transfer in
            if byProgress { transfer.foundationProgress.cancel() } else { transfer.cancel() }
        } _: { server, journal in
            #expect(server.requests.map(\.method) == ["POST", "DELETE"])
            #expect(server.requests.last?.target == "/u/1")
            #expect(!FileManager.default.fileExists(atPath: journal.path))
        }
    }

    @Test func `An upload that ends because its awaiting task is cancelled can be resumed`() async throws {
        try await end { transfer in
            Task { await transfer.result }.cancel()
        } _: { server, journal in
            #expect(server.requests.map(\.method) == ["POST"])
            #expect(UploadJournal.entry(at: journal)?.resource?.hasSuffix("/u/1") == true)
        }
    }

    @Test func `A journal that cannot be written fails the upload before a request is sent`() async throws {
        try await withScriptedServer([]) { server in
            var options = UploadOptions.quick
            options.journal = URL(fileURLWithPath: "/nowhere/at/all")
            let error = await uploadError("http://\(server.authority)/", .data(Self.bytes), options)
            #expect(error?.description.contains("the upload's journal cannot be written") == true)
            #expect(server.acceptedConnections == 0)
        }
    }

    // MARK: Helpers

    private static func form(_ file: URL) -> MultipartForm {
        var form = MultipartForm()
        form.append(name: "file", file: file)
        return form
    }

    private func withUpload(_ body: (CuttingProxy, URL, URL) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("file.bin")
            try Self.bytes.write(to: file)
            try await withCuttingProxy([Cut(sent: 600_000)]) { proxy in
                try await Gateway.withRunning { address in
                    proxy.lead(toPort: address.port)
                    try await body(proxy, file, directory.appendingPathComponent("upload.journal"))
                }
            }
        }
    }

    /// Sends the first 600,000 bytes, and ends as a killed process does: the journal is kept.
    private func breakOff(_ proxy: CuttingProxy, _ file: URL, _ journal: URL) async throws {
        var options = UploadOptions()
        options.journal = journal
        options.retry = .never
        let error = await uploadError("http://127.0.0.1:\(proxy.port)/uploads", .file(file), options)
        #expect(error?.description.contains("resumes from there") == true, "\(String(describing: error))")
        #expect(UploadJournal.entry(at: journal)?.resource != nil)
    }

    private func finish(_ proxy: CuttingProxy, _ file: URL, _ journal: URL) async throws -> UploadAnswer {
        try await upload(proxy, .file(file), journal).value.decode(UploadAnswer.self)
    }

    /// Starts an upload with a journal.
    private func upload(_ proxy: CuttingProxy, _ body: RequestBody, _ journal: URL) -> Transfer<HttpResponse> {
        var options = UploadOptions.quick
        options.journal = journal
        return HttpClient.createClient().upload(options: options) { request in
            request.url = "http://127.0.0.1:\(proxy.port)/uploads"
            request.body = body
        }
    }
}
