import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.busy) struct MutatedFramesTests {
    @Test(
        arguments: Mutations.seeds
    )
    func `Every mutation ends all exchanges, and none succeeds with a wrong body`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Mutations.perSeed {
            await Task.yield()
            let sample = SampleFrames.all.randomElement(using: &random) ?? SampleFrames.all[0]
            let mutation = FrameMutation.allCases.randomElement(using: &random) ?? .truncate
            let bytes = mutation.apply(to: sample.frames, using: &random)
            let exchanges = try OfflineHTTP2Connection.run([.get, .get], split(bytes, using: &random))
            for (index, exchange) in exchanges.enumerated() {
                guard exchange.isEnded else {
                    Issue.record("\(mutation) left an exchange waiting: \(Data(bytes).base64EncodedString())")
                    continue
                }
                guard let outcome = try? await OfflineConnection.outcome(of: exchange) else { continue }
                if let problem = problem(with: outcome, on: 2 * index + 1, sent: bytes) {
                    Issue.record("\(problem) after \(mutation): \(Data(bytes).base64EncodedString())")
                }
            }
        }
    }

    @Test(arguments: SampleFrames.all.indices)
    func `Without a mutation each sample gives its bodies, with any split`(index: Int) async throws {
        let sample = SampleFrames.all[index]
        for size in 1...sample.bytes.count {
            let exchanges = try OfflineHTTP2Connection.run([.get, .get], sample.bytes.split(into: size))
            for (exchange, body) in zip(exchanges, sample.bodies) {
                #expect(exchange.isEnded)
                let outcome = try await OfflineConnection.outcome(of: exchange)
                #expect(outcome.body == body)
            }
        }
    }

    @Test(arguments: SampleFrames.all.indices)
    func `After a truncation each exchange succeeds with its complete body or fails`(index: Int) async throws {
        let sample = SampleFrames.all[index]
        for length in 0..<sample.bytes.count {
            let bytes = Array(sample.bytes[..<length])
            let exchanges = try OfflineHTTP2Connection.run([.get, .get], [bytes])
            for (number, exchange) in exchanges.enumerated() {
                #expect(exchange.isEnded)
                let isWhole = bytes.endsStream(2 * number + 1)
                let outcome = try? await OfflineConnection.outcome(of: exchange)
                #expect((outcome != nil) == isWhole, "stream \(2 * number + 1) of \(length) bytes")
                #expect(outcome == nil || outcome?.body == sample.bodies[number])
            }
        }
    }

    /// Returns a description of the error in a successful outcome, judged by the frames alone.
    private func problem(with outcome: OfflineConnection.Outcome, on stream: Int, sent bytes: [UInt8]) -> String? {
        guard let body = bytes.body(of: stream) else { return "stream \(stream) never ended and was a success" }
        let hasBody = outcome.status != 204 && outcome.status != 304
        if hasBody, outcome.body != body { return "stream \(stream) gave \(outcome.body.count) bytes of \(body.count)" }
        if hasBody, let announced = outcome.fields[.contentLength], Int(announced) != outcome.body.count {
            return "\(outcome.body.count) bytes came of \(announced)"
        }
        return nil
    }

    private func split(_ bytes: [UInt8], using random: inout SeededGenerator) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let size = Int.random(in: 1...max(1, bytes.count), using: &random)
            pieces.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}

extension [UInt8] {
    fileprivate func split(into size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }

    fileprivate func endsStream(_ stream: Int) -> Bool { body(of: stream) != nil }

    /// Returns the content of a stream up to the frame that ends it, or `nil` if there is no such frame.
    fileprivate func body(of stream: Int) -> [UInt8]? {
        var rest = self[...]
        var body: [UInt8] = []
        var isEnding = false
        while let frame = WireFrame.take(from: &rest) {
            if frame.kind == .continuation, frame.stream == stream, isEnding, frame.flags & WireFrame.endHeaders != 0 {
                return body
            }
            guard frame.stream == stream, frame.kind == .data || frame.kind == .headers else { continue }
            let ends = frame.flags & WireFrame.endStream != 0
            if frame.kind == .data {
                let padding = frame.flags & 0x8 != 0 ? Int(frame.payload.first ?? 0) : nil
                body += padding.map { Array(frame.payload.dropFirst().dropLast($0)) } ?? frame.payload
                if ends { return body }
            } else if ends {
                if frame.flags & WireFrame.endHeaders != 0 { return body }
                isEnding = true
            }
        }
        return nil
    }
}
