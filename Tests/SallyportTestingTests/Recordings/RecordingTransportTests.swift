import Foundation
import HTTPTypes
import Sallyport
@testable import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RecordingTransportTests {
    // MARK: Recording and replaying

    @Test func `Calls are sent and recorded once, and then replayed without the server`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("new/folder/users.har")
            let script: Script = [
                .receiveRequest, respond(#"{"name": "John"}"#, "Content-Type: application/json", "ETag: \"a\""),
                .receiveRequest, respond("created", status: "201 Created"),
            ]
            @Sendable func calls(_ transport: RecordingTransport, _ origin: String) async throws {
                let client = HttpClient.createClient { config in config.transport = transport }
                let user = try await client.request { request in request.url = "\(origin)/users/7?a=1&b=%C3%A4" }
                #expect(user.bodyAsString() == #"{"name": "John"}"#)
                #expect(user.headers["ETag"] == ["\"a\""])
                let created = try await client.request { request in
                    request.url = "\(origin)/users"
                    request.post(json: ["name": "Jane"])
                }
                #expect(created.status == .created)
                #expect(created.bodyAsString() == "created")
            }
            let origin = try await withScriptedServer([script]) { server in
                let origin = "http://\(server.authority)"
                let transport = try RecordingTransport(file: file) { $0.mode = .once }
                #expect(transport.isRecording)
                try await calls(transport, origin)
                #expect(!FileManager.default.fileExists(atPath: file.path))
                try await transport.finish()
                #expect(server.requests.count == 2)
                return origin
            }
            let transport = try RecordingTransport(file: file) { options in
                options.mode = .once
                options.matching.insert(.body)
            }
            #expect(!transport.isRecording)
            try await calls(transport, origin)
            try await transport.finish()
        }
    }

    @Test func `A recording is a readable archive`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("users.har")
            let script: Script = [.receiveRequest, respond(#"{"name": "John"}"#, "Content-Type: application/json")]
            let origin = try await record(file, script) { transport, origin in
                let fields: HTTPFields = [.contentType: "text/plain"]
                _ = try await transport.text(makeRequest(origin, "/a?b=c%20d", .put, fields, body: .text("two\nlines")))
            }
            let data = try Data(contentsOf: file)
            let entry = try #require(try HttpArchive(data).entries.first)
            #expect(entry.request.method == "PUT")
            #expect(entry.request.url == "\(origin)/a?b=c%20d")
            #expect(entry.request.queryString == [.init(name: "b", value: "c d")])
            #expect(entry.request.postData?.text == "two\nlines")
            #expect(entry.request.postData?.mimeType == "text/plain")
            #expect(entry.response.status == 200)
            #expect(entry.response.content.text == #"{"name": "John"}"#)
            #expect(entry.response.content.mimeType == "application/json")
            #expect(entry.response.httpVersion == "HTTP/1.1")
            #expect(abs(entry.startedDateTime.timeIntervalSinceNow) < 600)
            let text = String(decoding: data, as: UTF8.self)
            #expect(text.contains("\n  \"log\""))
            #expect(text.hasSuffix("}\n"))
        }
    }

    @Test func `Equal requests are replayed in the recorded order, also concurrently`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("numbers.har")
            let script: Script = (1...3).flatMap { [.receiveRequest, respond("\($0)")] }
            let origin = try await record(file, script) { transport, origin in
                for _ in 1...3 { _ = try await transport.text(makeRequest(origin, "/next")) }
            }
            let sequential = try replay(file)
            var texts: [String] = []
            for _ in 1...3 { texts.append(try await sequential.text(makeRequest(origin, "/next"))) }
            #expect(texts == ["1", "2", "3"])
            try await sequential.finish()
            let concurrent = try replay(file)
            let all = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...3 { group.addTask { try await concurrent.text(makeRequest(origin, "/next")) } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(all == ["1", "2", "3"])
            try await concurrent.finish()
        }
    }

    @Test func `Concurrent calls are recorded in the order in which they began`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("order.har")
            let mock = MockTransport { request in .text(request.path) }
            let transport = try RecordingTransport(file: file) { options in
                options.mode = .all
                options.transport = mock
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...20 { group.addTask { _ = try await transport.text("/\(number)") } }
                try await group.waitForAll()
            }
            try await transport.finish()
            let entries = try HttpArchive(Data(contentsOf: file)).entries
            #expect(entries.count == 20)
            #expect(Set(entries.map(\.request.url)).count == 20)
            #expect(entries.map(\.startedDateTime) == entries.map(\.startedDateTime).sorted())
            for entry in entries { #expect(entry.request.url.hasSuffix(entry.response.content.text ?? "-")) }
        }
    }

    @Test func `Redirects are recorded call by call`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("redirect.har")
            let script: Script = [
                .receiveRequest, respond(status: "302 Found", "Location: /b"), .receiveRequest, respond("b"),
            ]
            @Sendable func call(_ transport: RecordingTransport, _ origin: String) async throws {
                let client = HttpClient.createClient { config in
                    config.transport = transport
                    config.redirects = .follow(limit: 3)
                }
                let response = try await client.request { request in request.url = "\(origin)/a" }
                #expect(response.bodyAsString() == "b")
            }
            let origin = try await record(file, script, call)
            #expect(try HttpArchive(Data(contentsOf: file)).entries.map(\.response.redirectURL) == ["/b", ""])
            let transport = try replay(file)
            try await call(transport, origin)
            try await transport.finish()
        }
    }

    @Test func `A call that fails is not recorded`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("failed.har")
            let mock = MockTransport { _ in .text("complete") }
            mock.on(.get, "/fail", .fail(.connectionLost("the connection was lost")))
            mock.on(.get, "/cut", .text("abcdef").with(.cut(after: 3)))
            let transport = try RecordingTransport(file: file) { options in
                options.mode = .all
                options.transport = mock
            }
            await expectError(\NetworkError.kind, "connectionLost") { try await transport.text("/fail") }
            await expectError(\NetworkError.kind, "incompleteBody") { try await transport.text("/cut") }
            #expect(try await transport.text("/") == "complete")
            try await transport.finish()
            #expect(try HttpArchive(Data(contentsOf: file)).entries.map(\.request.url) == ["https://api.example.com/"])
        }
    }

    // MARK: Modes

    @Test func `The mode none requires the file`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("missing.har")
            let error = #expect(throws: RecordingError.missingFile(path: file.path)) { try replay(file) }
            #expect(error?.description.contains("run the test once with SALLYPORT_RECORDING=once") == true)
        }
    }

    @Test func `The mode all replaces the file`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("all.har")
            for text in ["old", "new"] {
                let origin = try await record(file, [.receiveRequest, respond(text)]) { transport, origin in
                    let sent = try await transport.text(makeRequest(origin, "/"))
                    #expect(sent == text)
                }
                let replayed = try await replay(file).text(makeRequest(origin, "/"))
                #expect(replayed == text)
            }
        }
    }

    @Test func `Without finish nothing is stored`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("closed.har")
            let transport = try RecordingTransport(file: file) { options in
                options.mode = .once
                options.transport = MockTransport { _ in .text("a") }
            }
            _ = try await transport.text("/")
            transport.close()
            await expectError(\NetworkError.kind, "clientClosed") { try await transport.text("/") }
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `The environment names the mode, unless the test does`() throws {
        #expect(try RecordingMode.automatic.resolved([:]) == .once)
        #expect(try RecordingMode.automatic.resolved(["SALLYPORT_RECORDING": "none"]) == RecordingMode.none)
        #expect(try RecordingMode.automatic.resolved(["SALLYPORT_RECORDING": "all"]) == .all)
        #expect(try RecordingMode.none.resolved(["SALLYPORT_RECORDING": "all"]) == RecordingMode.none)
        for invalid in ["ALL", "automatic", "new"] {
            let error = #expect(throws: RecordingError.invalidMode(invalid)) {
                try RecordingMode.automatic.resolved(["SALLYPORT_RECORDING": invalid])
            }
            #expect(
                error?.description
                    == "SALLYPORT_RECORDING is \"\(invalid)\", which is not a mode; use once, none or all"
            )
        }
    }

    // MARK: Files

    @Test func `A file that is not an archive is refused`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("invalid.har")
            try Data("{}".utf8).write(to: file)
            let error = expectError(\RecordingError.kind, "unreadableFile") { try replay(file) }
            #expect(error?.description.contains("this is not a HAR file") == true)
            try Data(repeating: 32, count: 100).write(to: file)
            let tooLong = expectError(\RecordingError.kind, "unreadableFile") {
                try replay(file) { $0.maximumFileSize = 99 }
            }
            #expect(tooLong?.description.contains("longer than 99 bytes; raise maximumFileSize") == true)
        }
    }

    @Test func `A folder that cannot be created is an error`() async throws {
        try await withTemporaryDirectory { folder in
            let blocker = folder.appendingPathComponent("file")
            try Data().write(to: blocker)
            let transport = try RecordingTransport(file: blocker.appendingPathComponent("users.har")) { options in
                options.mode = .all
                options.transport = MockTransport()
            }
            await expectError(\RecordingError.kind, "unwritableFile") { try await transport.finish() }
        }
    }

    @Test(arguments: ["", "/users", "users/", "../users", "a/../b", ".users", "a//b", "a\\b", "a\nb"])
    func `A name that is not a path below the folder is refused`(name: String) {
        #expect(throws: RecordingError.invalidName(name)) {
            try RecordingFile.url(name, besideSource: "/project/Tests/UserTests.swift")
        }
    }

    @Test func `The file is in the folder Recordings beside the source file`() throws {
        let url = try RecordingFile.url("users/list", besideSource: "/project/Tests/UserTests.swift")
        #expect(url.path == "/project/Tests/Recordings/users/list.har")
    }

    // MARK: The current recording

    @Test func `withRecording provides the current transport, stores it, and checks it`() async throws {
        try await withTemporaryDirectory { folder in
            let source = folder.appendingPathComponent("UserTests.swift").path
            let mock = MockTransport { _ in .text("hello") }
            let text = try await withRecording(
                "hello",
                filePath: source,
                configure: { options in
                    options.mode = .once
                    options.transport = mock
                },
                { _ in try await RecordingTransport.current.text("/") }
            )
            #expect(text == "hello")
            let error = await expectError(\RecordingError.kind, "mismatches") {
                try await withRecording("hello", filePath: source, configure: { $0.mode = .none }) { _ in }
            }
            let unused = RecordingMismatch.unused(call: "GET https://api.example.com/", file: "hello.har", number: 1)
            #expect(error == .mismatches([unused]))
        }
    }

    @Test func `A body that throws stores nothing`() async throws {
        struct Failure: Error {}
        try await withTemporaryDirectory { folder in
            let source = folder.appendingPathComponent("UserTests.swift").path
            await #expect(throws: Failure.self) {
                try await withRecording("hello", filePath: source, configure: { $0.mode = .all }) { _ in throw Failure()
                }
            }
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("Recordings").path))
        }
    }

    @Test func `Without a recording there is no current transport`() {
        #expect(throws: RecordingError.noRecording) { try RecordingTransport.current }
    }

    // MARK: Pins

    @Test func `Pins are checked while recording, and not while replaying`() async throws {
        let key = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let other = "sha256/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("pinned.har")
            let mock = MockTransport { _ in .text("hello") }
            func client(_ transport: RecordingTransport) throws -> HttpClient {
                try HttpClient.createClient { config in
                    config.transport = transport
                    try config.pins.pin("api.example.com", to: [key, other])
                }
            }
            let recording = try RecordingTransport(file: file) { options in
                options.mode = .all
                options.transport = mock
            }
            let pinned = try client(recording)
            await expectError(\NetworkError.kind, "pinMismatch") {
                try await pinned.request { request in request.url = "https://api.example.com/" }
            }
            mock.present([try CertificatePin(key)])
            _ = try await pinned.request { request in request.url = "https://api.example.com/" }
            try await recording.finish()
            let replaying = try replay(file)
            let response = try await client(replaying).request { request in request.url = "https://api.example.com/" }
            #expect(response.bodyAsString() == "hello")
            try await replaying.finish()
        }
    }
}
