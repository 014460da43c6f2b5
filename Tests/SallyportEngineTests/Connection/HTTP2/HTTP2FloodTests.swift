import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.busy) struct HTTP2FloodTests {
    struct Flood: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The frame that is repeated.
        let drop: [WireFrame]
        /// A text that the error must contain.
        let name: String
    }

    private static let controls = "a flood of SETTINGS, PING or PRIORITY frames"

    static let floods: [Flood] = [
        Flood(testDescription: "SETTINGS", drop: [.settings([.maxConcurrentStreams: 10])], name: controls),
        Flood(testDescription: "PING", drop: [.ping()], name: controls),
        Flood(testDescription: "empty DATA", drop: [.data(1, [])], name: "a flood of empty DATA frames"),
        Flood(testDescription: "PRIORITY", drop: [WireFrame(.priority, stream: 1, [0, 0, 0, 3, 7])], name: controls),
    ]

    @Test(arguments: floods)
    func `A flood of useless frames ends the connection, and the error names the frame type`(flood: Flood) async throws
    {
        let drops = Array(repeating: flood.drop.flatMap(\.bytes), count: 500).flatMap { $0 }
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1), .repeating([.sendBytes(drops)], times: 2_000), .stall]
        try await HTTP2Bench.serve(script) { bench in
            await bench.expectFailure(.invalidResponse, saying: flood.name)
            try await bench.server.connection(0).waitUntilClosedByClient()
        }
    }

    // The next two tests run in processes of their own, because they measure the memory of the process.

    @Test(.enabled(if: isMemoryMeasured, "the memory of the process is read from /proc"))
    func `A flood of unknown frames uses bounded memory, and the call fails`() async {
        await #expect(processExitsWith: .success) {
            let drop = WireFrame(WireFrame.Kind(rawValue: 0xBE), stream: 1, [UInt8](repeating: 0, count: 16_000)).bytes
            let script: HTTP2Script =
                .greeting() + [.receiveRequest(1), .repeating([.sendBytes(drop)], times: 1_000_000)]
            let before = try Self.residentBytes()
            try await HTTP2Bench.serve(script) { bench in
                let request = bench.request(timeouts: Timeouts(head: .seconds(1), total: .seconds(3)))
                await bench.expectFailure(.timeout, of: request)
            }
            #expect(try Self.residentBytes() - before < 100 << 20)
        }
    }

    @Test(.enabled(if: isMemoryMeasured, "the memory of the process is read from /proc"))
    func `Endless header frames are refused in bounded memory`() async {
        await #expect(processExitsWith: .success) {
            let first = WireFrame(.headers, stream: 1, WireFrame.block([(":status", "200")]))
            let value = String(repeating: "a", count: 1_000)
            let more = WireFrame(.continuation, stream: 1, WireFrame.block([("x", value)]))
            let script: HTTP2Script =
                .greeting() + [.receiveRequest(1), .send(first), .repeating([.send(more)], times: 100_000), .stall]
            let before = try Self.residentBytes()
            try await HTTP2Bench.serve(script) { bench in
                // The sizes exceed their limit with 66 frames, before the number of frames exceeds 100.
                await bench.expectFailure(.responseTooLarge, saying: "a response's head exceeds the limits")
                try await bench.server.connection(0).waitUntilClosedByClient()
            }
            #expect(try Self.residentBytes() - before < 100 << 20)
        }
    }

    @Test
    func `A flood of empty CONTINUATION frames is refused`() async throws {
        let first = WireFrame(.headers, stream: 1, WireFrame.block([(":status", "200")]))
        let empty = Array(repeating: WireFrame(.continuation, stream: 1).bytes, count: 1_000).flatMap { $0 }
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .send(first), .repeating([.sendBytes(empty)], times: 1_000), .stall]
        try await HTTP2Bench.serve(script) { bench in
            await bench.expectFailure(.invalidResponse, saying: "a flood of CONTINUATION frames")
            try await bench.server.connection(0).waitUntilClosedByClient()
        }
    }

    @Test
    func `Fields that expand beyond the limit by HPACK references are refused`() async throws {
        // One long field in the dynamic table, followed by thousands of one-byte references to it.
        let long = WireFrame.block([("x", String(repeating: "a", count: 3_900))])
        let inserted = [UInt8(0x40)] + long.dropFirst()
        let block = WireFrame.block([(":status", "200")]) + inserted + [UInt8](repeating: 0xBE, count: 12_000)
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .send(WireFrame(.headers, flags: 5, stream: 1, block)), .stall]
        try await HTTP2Bench.serve(script, .answers(1)) { bench in
            await bench.expectFailure(.responseTooLarge, saying: "a response's head exceeds the limits")
            try await bench.expectOK()
        }
    }

    @Test
    func `A flood of RST_STREAM for different streams ends the connection`() async throws {
        let script: HTTP2Script =
            .greeting() + [.repeating([.receiveHead(.next), .resetStream(.current, 2)], times: 100_000)]
        try await HTTP2Bench.serve(script) { bench in
            for _ in 0..<200 {
                await bench.expectFailure(.connectionLost, saying: "the server reset the stream (INTERNAL_ERROR)")
            }
            await bench.expectFailure(.invalidResponse, saying: "a flood of RST_STREAM frames")
            try await bench.server.connection(0).waitUntilClosedByClient()
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test
    func `A flood of RST_STREAM for one stream fails its call, and the next call succeeds`() async throws {
        let drops = Array(repeating: WireFrame.reset(1, 8).bytes, count: 500).flatMap { $0 }
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .repeating([.sendBytes(drops)], times: 1_000)] + .answer()
        try await HTTP2Bench.serve(script, .answers(1)) { bench in
            // The first frame ends the call, before there are enough for a flood.
            await bench.expectFailure(.connectionLost, saying: "the server reset the stream (CANCEL)")
            try await bench.expectOK()
        }
    }

    @Test
    func `A head of 30 KB in several frames is accepted`() async throws {
        let value = String(repeating: "x", count: 30_000)
        let script: HTTP2Script =
            .greeting() + [
                .receiveRequest(1),
                .sendOn(1) { WireFrame.split($0, [(":status", "200"), ("x-large", value)], size: 8_192) },
                .data(1, "ok", end: true),
            ]
        try await HTTP2Bench.serve(script) { bench in
            let answer = try await bench.answer()
            #expect(answer["x-large"] == value)
            #expect(answer.text == "ok")
        }
    }

    @Test(arguments: [false, true])
    func `A field above the size limit is refused in a head and in trailers`(inTrailers: Bool) async throws {
        let large = ("x-large", String(repeating: "x", count: 70_000))
        let steps: HTTP2Script =
            inTrailers
            ? [.head(1), .data(1, "ok"), .sendOn(1) { WireFrame.split($0, [large], end: true) }]
            : [.sendOn(1) { WireFrame.split($0, [(":status", "200"), large], end: true) }]
        try await HTTP2Bench.serve(.greeting() + [.receiveRequest(1)] + steps + .answer(), .answers(1)) { bench in
            await bench.expectFailure(.responseTooLarge)
            try await bench.expectOK()
        }
    }

    @Test
    func `A response with more fields than the limit is refused`() async throws {
        let fields = (0..<201).map { ("x-\($0)", "1") }
        try await HTTP2Bench.serve(.greeting() + [.receiveRequest(1), .head(1, fields, end: true)], .answers(1)) {
            bench in
            await bench.expectFailure(.responseTooLarge)
        }
    }

    private static let isMemoryMeasured = FileManager.default.isReadableFile(atPath: "/proc/self/statm")

    private static func residentBytes() throws -> Int {
        let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(statm.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 4096
    }
}
