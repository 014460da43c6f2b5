import ClientTestSupport
import Foundation
import Sallyport
import SallyportTransfers
import TestSupport
import Testing

/// Servers that violate the draft.
@Suite(.concurrencyLimited) struct UploadHostilityTests {
    private static let bytes = Data("0123456789".utf8)
    private static let ok = ScriptStep.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    /// Reads the first half, announces the upload resource, and closes the connection.
    private static func creation(_ fields: String, _ heard: Signal) -> Script {
        [
            .receiveHead, .send("HTTP/1.1 104 Upload Resumption Supported\r\n\(fields)\r\n"), .receive(until: "01234"),
            .waitFor(heard), .reset,
        ]
    }

    private static func offset(_ offset: Int, _ isComplete: Bool = false, _ more: String = "") -> ScriptStep {
        .send(
            "HTTP/1.1 204 No Content\r\nUpload-Offset: \(offset)\r\nUpload-Complete: ?\(isComplete ? 1 : 0)\r\n\(more)\r\n"
        )
    }

    /// Returns the outcome of an upload whose second half becomes available after its first connection.
    private func upload(
        saying fields: String = "Location: /u/1\r\n",
        then scripts: [Script],
        _ check: @escaping @Sendable (Result<HttpResponse, TransferError>, ScriptedServer) throws -> Void
    ) async throws {
        let (heard, gate) = (Signal(), Signal())
        let opened = scripts.map { [.fire(gate)] + $0 }
        try await withScriptedServer([Self.creation(fields, heard)] + opened) { server in
            let chunks = GatedChunks(bytes: Self.bytes, size: 5, closedAt: 5, gate: gate)
            let transfer = HttpClient.createClient().upload(options: .quick) { request in
                request.url = "http://\(server.authority)/"
                request.setHeader(name: "Authorization", value: "Bearer secret")
                request.setHeader(name: "Content-Type", value: "text/plain")
                request.body = .stream(BodyStream(chunks, length: 10, isReplayable: true))
                request.onInformational = { _ in heard.fire() }
            }
            try check(await transfer.result, server)
        }
    }

    private func expectMismatch(_ text: String, _ result: Result<HttpResponse, TransferError>) {
        guard case .failure(let error) = result, case .mismatch(let problem) = error.reason else {
            Issue.record("\(result)")
            return
        }
        #expect(problem.contains(text), "\(problem)")
    }

    @Test func `A resumed upload sends the missing bytes with the app's credentials, without the body's fields`()
        async throws
    {
        let rest: Script = [.receiveHead, Self.offset(5), .receiveRequest, Self.ok]
        try await upload(then: [rest]) { result, server in
            let response = try result.get()
            #expect(response.bodyAsString() == "ok")
            let requests = server.requests
            #expect(requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(requests.map(\.target) == ["/", "/u/1", "/u/1"])
            #expect(requests.map(\.bodyText) == ["01234", "", "56789"])
            #expect(requests.map { $0["Authorization"] } == Array(repeating: ["Bearer secret"], count: 3))
            #expect(requests.map { $0["Content-Type"] } == [["text/plain"], [], ["application/partial-upload"]])
            #expect(requests.map { $0["Upload-Draft-Interop-Version"] } == Array(repeating: ["6"], count: 3))
            #expect(requests.map { $0["Upload-Complete"] } == [["?1"], [], ["?1"]])
            #expect(requests.map { $0["Upload-Length"] } == [["10"], [], []])
            #expect(requests.map { $0["Upload-Offset"] } == [[], [], ["5"]])
            #expect(requests.map { $0["Content-Length"] } == [["10"], [], ["5"]])
        }
    }

    @Test func `An upload resource at another origin is not requested`() async throws {
        try await withScriptedServer([[.receiveHead, Self.offset(5)]]) { foreign in
            for location in ["http://\(foreign.authority)/u", "//\(foreign.authority)/u", "https://127.0.0.1:1/"] {
                try await upload(saying: "Location: \(location)\r\n", then: []) { result, server in
                    guard case .failure(let error) = result else {
                        Issue.record("it succeeded")
                        return
                    }
                    #expect(error.description.contains("another origin for continuing the upload"), "\(error)")
                    #expect(server.acceptedConnections == 1)
                }
            }
            #expect(foreign.acceptedConnections == 0)
        }
    }

    @Test func `A 104 response without a Location is ignored`() async throws {
        try await upload(saying: "Upload-Offset: 3\r\n", then: []) { result, server in
            guard case .failure(let error) = result, case .network(.connectionLost) = error.reason else {
                Issue.record("\(result)")
                return
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `An offset beyond the sent bytes is an error, and the upload is cancelled at the server`() async throws {
        let liar: Script = [.receiveHead, Self.offset(11), .receiveHead, Self.ok]
        try await upload(then: [liar]) { result, server in
            expectMismatch("it has 11 bytes, but", result)
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "DELETE"])
        }
    }

    @Test func `An offset that decreases is an error`() async throws {
        let half: Script = [.receiveHead, Self.offset(5), .receiveHead, .reset]
        let liar: Script = [.receiveHead, Self.offset(3), .receiveHead, Self.ok]
        try await upload(then: [half, liar]) { result, _ in
            expectMismatch("it has 3 bytes, but it had 5 before", result)
        }
    }

    @Test func `A missing or invalid offset is an error`() async throws {
        for fields in [
            "", "Upload-Offset: -1\r\n", "Upload-Offset: 5\r\nUpload-Offset: 5\r\n", "Upload-Offset: 0x5\r\n",
        ] {
            let script: Script = [
                .receiveHead, .send("HTTP/1.1 204 No Content\r\n\(fields)\r\n"), .receiveHead, Self.ok,
            ]
            try await upload(then: [script]) { result, _ in
                expectMismatch("did not state how many bytes it has", result)
            }
        }
    }

    @Test func `An upload reported as complete before all bytes were sent is an error`() async throws {
        let liar: Script = [.receiveHead, Self.offset(5, true), .receiveHead, Self.ok]
        try await upload(then: [liar]) { result, _ in
            expectMismatch("complete with 5 bytes, which it is not", result)
        }
    }

    @Test func `If the server expects another length or allows less, the remaining bytes are not sent`() async throws {
        for (field, text) in [
            ("Upload-Length: 11", "expects 11 bytes, but there are 10"),
            ("Upload-Limit: max-size=9", "accepts at most 9 bytes"),
        ] {
            let script: Script = [.receiveHead, Self.offset(5, false, "\(field)\r\n"), .receiveHead, Self.ok]
            try await upload(then: [script]) { result, server in
                expectMismatch(text, result)
                #expect(!server.requests.contains { $0.method == "PATCH" })
            }
        }
    }

    @Test func `After a 409 response, the offset is requested again`() async throws {
        let script: Script = [
            .receiveHead, Self.offset(5), .receiveRequest,
            .send("HTTP/1.1 409 Conflict\r\nUpload-Offset: 7\r\nContent-Length: 0\r\n\r\n"),
            .receiveHead, Self.offset(7), .receiveRequest, Self.ok,
        ]
        try await upload(then: [script]) { result, server in
            let response = try result.get()
            #expect(response.bodyAsString() == "ok")
            #expect(server.requests.map(\.bodyText) == ["01234", "", "56789", "", "789"])
        }
    }

    @Test func `The remaining bytes are sent after a response that reports a partial upload`() async throws {
        let script: Script = [
            .receiveHead, Self.offset(5), .receiveRequest,
            .send("HTTP/1.1 201 Created\r\nUpload-Complete: ?0\r\nUpload-Offset: 8\r\nContent-Length: 0\r\n\r\n"),
            .receiveHead, Self.offset(8), .receiveRequest, Self.ok,
        ]
        try await upload(then: [script]) { result, server in
            let response = try result.get()
            #expect(response.bodyAsString() == "ok")
            #expect(server.requests.last?.bodyText == "89")
        }
    }

    @Test func `The offset is requested again after a truncated response and a 503`() async throws {
        let cut: Script = [.receiveHead, .send("HTTP/1.1 204 No Content\r\nUpload-Off"), .reset]
        let busy: Script = [
            .receiveHead, .send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), .receiveHead, Self.offset(5),
            .receiveRequest, Self.ok,
        ]
        try await upload(then: [cut, busy]) { result, server in
            let response = try result.get()
            #expect(response.bodyAsString() == "ok")
            #expect(server.requests.last?.bodyText == "56789")
        }
    }

    @Test func `An upload that the server has lost starts over unless it may have been processed`() async throws {
        let lost: Script = [.receiveHead, .send("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"), .close]
        let whole: Script = [.receiveRequest, Self.ok]
        try await upload(then: [lost, whole]) { result, server in
            let response = try result.get()
            #expect(response.bodyAsString() == "ok")
            #expect(server.requests.last?.bodyText == "0123456789")
        }
        let sent: Script = [.receiveHead, Self.offset(5), .receiveRequest, .reset]
        try await upload(then: [sent, lost, whole]) { result, server in
            expectMismatch("may have been processed", result)
            #expect(server.requests.filter { $0.method == "POST" }.count == 1)
        }
    }

    @Test func `The error status of a complete upload is not retried`() async throws {
        let refusal: Script = [
            .receiveHead, Self.offset(5), .receiveRequest,
            .send("HTTP/1.1 503 No\r\nUpload-Complete: ?1\r\nContent-Length: 3\r\n\r\nbad"), .receiveHead, Self.ok,
        ]
        try await upload(then: [refusal]) { result, server in
            guard case .failure(let error) = result, case .status(let response) = error.reason else {
                Issue.record("\(result)")
                return
            }
            #expect(response.bodyAsString() == "bad")
            #expect(server.requests.filter { $0.method == "PATCH" }.count == 1)
        }
    }

    @Test func `An upload without progress fails after the maximum attempts`() async throws {
        let stuck: Script = [.receiveHead, Self.offset(5), .receiveHead, .reset]
        try await upload(then: [stuck]) { result, server in
            guard case .failure(let error) = result else {
                Issue.record("it succeeded")
                return
            }
            #expect(error.description.contains("in the last of 5 attempts"), "\(error)")
            #expect(server.acceptedConnections <= 6)
        }
    }

    @Test func `The error for an upload that is never complete states that instead of the success status`() async throws
    {
        let part: [ScriptStep] = [
            .receiveHead, Self.offset(5), .receiveRequest,
            .send("HTTP/1.1 201 Created\r\nUpload-Complete: ?0\r\nUpload-Offset: 5\r\nContent-Length: 0\r\n\r\n"),
        ]
        try await upload(then: [part + part + part + part + part]) { result, _ in
            guard case .failure(let error) = result else {
                Issue.record("it succeeded")
                return
            }
            #expect(error.description.contains("but has not received all of the upload"), "\(error)")
        }
    }
}
