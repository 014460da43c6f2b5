import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct HTTP2FramesTests {
    private static let greeting = WireFrame.settings([.maxConcurrentStreams: 100])

    @Test
    func `Frames written in one event loop iteration are sent in one write`() throws {
        let channel = EmbeddedChannel()
        _ = try OfflineHTTP2Connection.begin(Array(repeating: .get, count: 10), on: channel)
        channel.embeddedEventLoop.run()
        var written = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        written.moveReaderIndex(forwardBy: 24)
        var bytes = Array(written.readableBytesView)[...]
        var kinds: [WireFrame.Kind] = []
        while let frame = WireFrame.take(from: &bytes) { kinds.append(frame.kind) }
        #expect(kinds == [.settings, .windowUpdate] + Array(repeating: .headers, count: 10))
    }

    @Test
    func `DATA frames received in one read are delivered as one chunk`() async throws {
        let frames = [Self.greeting, .headers(1, [(":status", "200")])] + (0..<10).map { .data(1, [$0], end: $0 == 9) }
        let exchanges = try OfflineHTTP2Connection.run([.get], [frames.flatMap(\.bytes)])
        await exchanges[0].waitForHead()
        let chunk = try await exchanges[0].read()
        #expect(chunk == ByteBuffer(bytes: 0..<10))
        #expect(try await exchanges[0].read() == nil)
    }

    @Test(arguments: [1, 5_000, 60_000])
    func `A chunk does not retain the read buffer`(size: Int) async throws {
        let noise = WireFrame(WireFrame.Kind(rawValue: 0xBE), [UInt8](repeating: 0, count: 60_000))
        let frames = [
            Self.greeting, .headers(1, [(":status", "200")]), .data(1, [UInt8](repeating: 7, count: size)), noise,
            noise,
            .data(1, [], end: true),
        ]
        let exchanges = try OfflineHTTP2Connection.run([.get], [frames.flatMap(\.bytes)])
        await exchanges[0].waitForHead()
        let chunk = try #require(try await exchanges[0].read())
        #expect(chunk.readableBytes == size)
        #expect(chunk.storageCapacity <= 2 * size + 1024)
    }

    @Test
    func `The received part of a DATA frame is delivered before the frame is complete`() async throws {
        let proceed = Signal()
        let frame = WireFrame.data(1, Array("hello".utf8), end: true).bytes
        let script: HTTP2Script =
            .greeting() + [
                .receiveRequest(1), .head(1, [("content-length", "5")]), .sendBytes(Array(frame.dropLast(2))),
                .waitFor(proceed), .sendBytes(Array(frame.suffix(2))),
            ]
        try await HTTP2Bench.serve(script) { bench in
            let read = try await bench.engine.send(bench.request()) { response in
                var iterator = response.body.makeAsyncIterator()
                var read: [Data] = []
                var size = 0
                while size < 3, let chunk = try await iterator.next() {
                    read.append(chunk)
                    size += chunk.count
                }
                #expect(size == 3)
                proceed.fire()
                while let chunk = try await iterator.next() { read.append(chunk) }
                return read
            }
            #expect(String(decoding: read.joined(), as: UTF8.self) == "hello")
        }
    }

    @Test
    func `Fields that stay, change, appear or disappear between responses are decoded correctly`() async throws {
        let heads: [[WireFrame.Field]] = [
            [("server", "x"), ("date", "1"), ("x-a", "1")],
            [("server", "x"), ("date", "2"), ("x-a", "1")],
            [("date", "3"), ("server", "x")],
            [("server", "x"), ("date", "3"), ("date", "3"), ("x-a", ""), ("x-b", String(repeating: "b", count: 300))],
            [("server", "x")],
            [("server", "caf\u{E9}")],
            [("server", "cafe\u{301}")],
        ]
        let script: HTTP2Script =
            .greeting() + heads.flatMap { [.receiveRequest(.next), .head(.current, $0, end: true)] as HTTP2Script }
        try await HTTP2Bench.serve(script) { bench in
            for head in heads {
                let fields = try await bench.answer().response.head.headerFields
                #expect(fields.map(\.name.rawName) == head.map(\.0))
                // Compared as bytes: the strings of the last two heads are canonically equivalent.
                #expect(fields.map { Array($0.value.utf8) } == head.map { Array($0.1.utf8) })
            }
        }
    }

    @Test
    func `An invalid value of a cached field name is refused`() async throws {
        let script: HTTP2Script =
            .greeting() + [
                .receiveRequest(1), .head(1, [("x", "good")], end: true),
                .receiveRequest(3), .head(3, [("x", "a\r\nb: c")], end: true),
            ] + .answer()
        try await HTTP2Bench.serve(script, .answers(1)) { bench in
            _ = try await bench.answer()
            await bench.expectFailure(.invalidResponse)
            try await bench.expectOK()
        }
    }

    @Test
    func `A server can disable and re-enable the dynamic table`() async throws {
        let script: HTTP2Script =
            .greeting([.headerTableSize: 0]) + [.repeating(.answer(), times: 3), .settings([.headerTableSize: 4096])]
            + [.repeating(.answer(), times: 4)]
        try await HTTP2Bench.serve(script) { bench in
            for number in 0..<7 { try await bench.expectOK("/\(number % 2)") }
            let connection = try await bench.server.connection(0)
            #expect(connection.streams.map(\.path) == (0..<7).map { "/\($0 % 2)" })
        }
    }

    @Test
    func `Uploads reset early with NO_ERROR do not count as a flood`() async throws {
        let early: HTTP2Script = [
            .receiveHead(.next), .head(.current, status: "413", end: true), .resetStream(.current, 0),
        ]
        try await HTTP2Bench.serve(.greeting() + [.repeating(early, times: 250)] + .answer()) { bench in
            for _ in 0..<250 {
                let answer = try await bench.answer(bench.request(.post, body: .produced(10_000_000)))
                #expect(answer.status == 413)
            }
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `PINGs during an upload do not count as a flood`() async throws {
        // The window allows a thousand bytes at a time, so that the upload lasts as long as the PINGs.
        let steps = (1...220).flatMap { step in
            [
                .windowUpdate(.number(0), 1_000), .windowUpdate(.number(1), 1_000),
                .receiveBody(1, 65_000 + step * 1_000), .send(.ping()),
            ] as HTTP2Script
        }
        let script: HTTP2Script = .greeting() + [.receiveHead(1)] + steps + [.receiveRequest(1)] + .response(1)
        try await HTTP2Bench.serve(script) { bench in
            let timeouts = Timeouts(total: .seconds(60))
            try await bench.expectOK(bench.request(.post, body: .produced(285_000), timeouts: timeouts))
        }
    }

    @Test(arguments: [16_384, 40_000])
    func `DATA frames are as large as the server allows`(largest: Int) async throws {
        let settings: [HTTP2SettingNumber: UInt32] = [
            .maxFrameSize: UInt32(largest), .initialWindowSize: 1_000_000,
        ]
        let script: HTTP2Script =
            .greeting(settings) + .answer() + [.windowUpdate(.number(0), 1_000_000)] + .answer()
        try await HTTP2Bench.serve(script) { bench in
            // The first response proves that the client has received the settings.
            _ = try await bench.answer()
            try await bench.expectOK(bench.request(.post, body: .data(Data(repeating: 7, count: 200_000))))
            let connection = try await bench.server.connection(0)
            #expect(connection.frames(.data).map(\.payload.count).max() == largest)
            #expect(connection.stream(3).body.count == 200_000)
        }
    }
}
