import ClientTestSupport
import Foundation
import HTTPTypes
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers
@testable import SallyportGateway

@Suite(.concurrencyLimited) struct UploadTests {
    private static let answer = "HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\ndone"

    @Test func `A body of each kind arrives unchanged, and progress ends with its length`() async throws {
        try await withTemporaryDirectory { directory in
            let bytes = TestBytes.data(700_001)
            let file = directory.appendingPathComponent("file.bin")
            try bytes.write(to: file)
            let (chunks, others) = (TestBytes.chunks(of: bytes, 999), TestBytes.chunks(of: bytes, 999))
            let bodies: [RequestBody] = [
                .data(bytes), .file(file), .stream(BodyStream(chunks, length: 700_001)), .stream(BodyStream(others)),
            ]
            try await Gateway.withRunning { address in
                for (index, body) in bodies.enumerated() {
                    let transfer = HttpClient.createClient().upload { request in
                        request.url = "\(address.baseURL)/upload"
                        request.body = body
                    }
                    let response = try await transfer.value
                    #expect(try response.decode(UploadAnswer.self) == UploadAnswer(of: bytes))
                    #expect(transfer.currentProgress.completedBytes == 700_001)
                    #expect(transfer.currentProgress.totalBytes == (index < 3 ? 700_001 : nil))
                    #expect(transfer.currentProgress.state == .finished)
                }
            }
        }
    }

    @Test func `A form is sent as a request would send it, with POST instead of GET`() async throws {
        try await withScriptedServer([[.receiveRequest, .send(Self.answer)]]) { server in
            var form = MultipartForm()
            form.append(name: "a", value: "1")
            let request = makeRequest("http://\(server.authority)/") { $0.multipart(form) }
            let response = try await HttpClient.createClient().upload(request).value
            #expect(response.bodyAsString() == "done")
            #expect(server.requests[0].method == "POST")
            #expect(server.requests[0].bodyText.contains("\r\n\r\n1\r\n"))
            _ = try await HttpClient.createClient().upload { $0.url = "http://\(server.authority)/" }.value
            #expect(server.requests[1].method == "POST")
            #expect(server.requests[1]["Content-Length"] == ["0"])
        }
    }

    @Test func `An error status is an error with the server's response`() async throws {
        let script: Script = [.receiveRequest, .send("HTTP/1.1 422 No\r\nContent-Length: 7\r\n\r\nbecause")]
        try await withScriptedServer([script]) { server in
            let error = await uploadError("http://\(server.authority)/", .data(Data("x".utf8)))
            guard case .status(let response)? = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(response.bodyAsString() == "because")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `An upload has no total time limit but limits for inactivity`() async throws {
        let (client, server) = makeClient()
        _ = try await client.upload(makeRequest { $0.body = .data(Data("x".utf8)) }).value
        #expect(server.requests.map(\.timeouts.total) == [nil])
        #expect(server.requests.map(\.timeouts.head) == [.seconds(15)])
        #expect(server.requests.map(\.timeouts.idle) == [.seconds(60)])
    }

    @Test func `An interrupted POST is not repeated, and a PUT is`() async throws {
        let cut: Script = [.receive(until: "12345"), .reset]
        try await withScriptedServer([cut, cut, [.receiveRequest, .send(Self.answer)]]) { server in
            let url = "http://\(server.authority)/"
            let error = await uploadError(url, .data(Data("1234567890".utf8)))
            guard case .network(.connectionLost)? = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.acceptedConnections == 1)
            let request = makeRequest(url) { $0.put(contentType: "text/plain", body: "1234567890") }
            let response = try await HttpClient.createClient().upload(request, options: .quick).value
            #expect(response.status == .created)
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test func `A POST that could not connect is repeated`() async throws {
        try await withSilentPort { port in
            var options = UploadOptions.quick
            options.retry.attempts = 3
            let error = await uploadError("http://127.0.0.1:\(port)/", .data(Data("x".utf8)), options)
            #expect(error?.description.contains("in the last of 3 attempts") == true, "\(String(describing: error))")
        }
    }

    @Test func `A single-use stream is sent only once`() async throws {
        try await withScriptedServer([[.receive(until: "cd"), .reset]]) { server in
            let stream = BodyStream(TestBytes.chunks(of: Data("abcdef".utf8), 2))
            let request = makeRequest("http://\(server.authority)/") { request in
                request.setMethod(.put)
                request.body = .stream(stream)
            }
            await expectError(\TransferError.kind, "network") {
                try await HttpClient.createClient().upload(request, options: .quick).value
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `Without resumption, a paused upload starts over`() async throws {
        let gate = Signal()
        let stalled: Script = [.receiveHead, .receive(until: "01234"), .fire(gate), .stall]
        try await withScriptedServer([stalled, [.receiveRequest, .send(Self.answer)]]) { server in
            let chunks = GatedChunks(bytes: Data("0123456789".utf8), size: 5, closedAt: 5, gate: Signal())
            let second = ReplayedChunks(bytes: Data("0123456789".utf8), size: 5)
            let body = BodyStream(EitherChunks(first: chunks, others: second), length: 10, isReplayable: true)
            let transfer = HttpClient.createClient().upload { request in
                request.url = "http://\(server.authority)/"
                request.body = .stream(body)
            }
            try await gate.wait()
            transfer.pause()
            for await progress in transfer.progress where progress.state == .paused { break }
            transfer.resume()
            #expect(try await transfer.value.status == .created)
            #expect(server.requests.map(\.bodyText) == ["01234", "0123456789"])
        }
    }

    @Test func `Resumption is requested only if it is enabled and the body is replayable`() async throws {
        let (client, server) = makeClient()
        var options = UploadOptions()
        options.isResumable = false
        _ = try await client.upload(makeRequest { $0.body = .data(Data("x".utf8)) }, options: options).value
        let once = BodyStream(TestBytes.chunks(of: Data("x".utf8), 1))
        _ = try await client.upload(makeRequest { $0.body = .stream(once) }).value
        _ = try await client.upload(makeRequest { $0.body = .data(Data("x".utf8)) }).value
        let name = try #require(HTTPField.Name("Upload-Complete"))
        #expect(server.requests.map { $0.head.headerFields[name] } == [nil, nil, "?1"])
    }

    @Test func `A file that has changed since it was opened is refused`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("file")
            try Data("0123456789".utf8).write(to: file)
            let (client, server) = makeClient()
            let transfer = client.upload { request in
                request.url = "https://api.example.com/"
                request.body = .file(file)
                request.setHeader(name: "x-later", value: "1")
            }
            _ = try await transfer.value
            #expect(server.requests.count == 1)
            let version = try UploadFile.version(of: file)
            try Data("9876543210".utf8).write(to: file)
            await expectError(\TransferError.kind, "file") {
                try await UploadFile.open(file, as: version, from: 0, limit: .max)
            }
        }
    }

    @Test func `An invalid request fails before anything is sent`() async throws {
        let server = MockTransport()
        let (client, _) = makeClient(server)
        var form = MultipartForm()
        form.append(name: "a", files: [URL(fileURLWithPath: "/nowhere/at/all")])
        let upload = client.upload(makeRequest { $0.multipart(form) })
        let error = await expectError(\TransferError.kind, "network") { try await upload.value }
        #expect(error?.description.contains("/nowhere/at/all") == true)
        #expect(server.requests.isEmpty)
    }

    @Test func `The error for a missing file names it`() async throws {
        let file = URL(fileURLWithPath: "/nowhere/at/all")
        let error = await uploadError("http://127.0.0.1:1/", .file(file))
        #expect(error?.description == "/nowhere/at/all: cannot be read: No such file or directory")
    }
}
