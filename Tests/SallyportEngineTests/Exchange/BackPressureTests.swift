import Foundation
import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import Testing

/// Tests HTTP/1.1 over TLS. The conformance suite tests the behavior that all transports share.
@Suite(.busy) struct BackPressureTests {
    private static let total = 1024 * 65_536
    /// More than the buffers of both sides' sockets hold, and less than all.
    private static let bound = 24 << 20
    /// Transferring 64 MiB takes long under a sanitizer.
    private static let timeouts = Timeouts(total: .patience)

    @Test
    func `A paused reader stops the server and receives all bytes`() async throws {
        let chunk = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 >> 4) }
        let download: Script = [
            .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.total)\r\n\r\n"),
            .repeating([.sendBytes(chunk)], times: 1024),
        ]
        try await serve(download) { setting in
            try await setting.engine.send(TransportRequest(head: setting.head(.get), timeouts: Self.timeouts)) {
                response in
                var iterator = response.body.makeAsyncIterator()
                var read = try await iterator.next() ?? Data()
                try await setting.occupy()
                #expect(setting.server.connections[0].sentCount < Self.bound)
                while let more = try await iterator.next() { read += more }
                let sent = (0..<1024).reduce(into: Data()) { sent, _ in sent += chunk }
                // The bytes themselves would not be helpful in a report.
                let isWhole = read == sent
                #expect(isWhole)
            }
        }
    }

    @Test(arguments: [1, 64])
    func `A paused server stops the producer of the body`(factor: Int) async throws {
        let proceed = Signal()
        let stopped = Signal()
        let upload: Script = [
            .receiveHead, .stopReading, .fire(stopped), .waitFor(proceed), .resumeReading, .receiveBody(Self.total),
            .send("HTTP/1.1 204 No Content\r\n\r\n"),
        ]
        try await serve(upload) { setting in
            let count = 1024 / factor
            let taken = Watched(0)
            let chunk = Data(repeating: 120, count: 65_536 * factor)
            let chunks = AsyncStream<Data> {
                taken.update { taken in
                    guard taken < count else { return nil }
                    taken += 1
                    return chunk
                }
            }
            let body = RequestBody.stream(BodyStream(chunks, length: Int64(Self.total)))
            let request = TransportRequest(head: setting.head(.put), body: body, timeouts: Self.timeouts)
            async let status = setting.engine.send(request) { $0.head.status.code }
            try await stopped.wait()
            try await setting.occupy()
            #expect(taken.value * chunk.count < Self.bound)
            proceed.fire()
            #expect(try await status == 204)
            #expect(taken.value == count)
            #expect(setting.server.connections[0].received.count >= Self.total)
        }
    }

    private struct Setting: Sendable {
        let server: ScriptedServer
        let engine: Engine

        func head(_ method: HTTPRequest.Method) -> HTTPRequest {
            HTTPRequest(method: method, scheme: "https", authority: "localhost:\(server.port)", path: "/")
        }

        /// Makes many other calls meanwhile, so that everything that can proceed does.
        func occupy() async throws {
            for _ in 0..<200 {
                let status = try await engine.send(TransportRequest(head: head(.get))) { $0.head.status.code }
                #expect(status == 204)
            }
        }
    }

    private func serve(_ script: Script, _ body: @escaping @Sendable (Setting) async throws -> Void) async throws {
        let authority = try TestAuthority()
        let tls = try ServerTLS(identity: authority.serverIdentity())
        let answers: Script = [
            .repeating([.receiveRequest, .send("HTTP/1.1 204 No Content\r\n\r\n")], times: 200)
        ]
        try await withScriptedServer([script, answers], tls: tls) { server in
            let override = AddressOverride(host: "localhost", port: server.port, addresses: ["127.0.0.1"])
            let security = try TransportSecurity.trusting(authority.certificatePEM)
            let engine = Engine(
                configuration: TransportConfiguration(security: security, addressOverrides: [override])
            )
            defer { engine.close() }
            try await body(Setting(server: server, engine: engine))
        }
    }
}
