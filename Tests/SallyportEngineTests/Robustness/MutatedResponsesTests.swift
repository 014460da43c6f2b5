import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.busy) struct MutatedResponsesTests {
    @Test(
        .serialized,
        arguments: Mutations.seeds
    )
    func `Every mutation ends the exchange, and a truncated body is never a success`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Mutations.perSeed {
            await Task.yield()
            let sample = SampleResponse.all.randomElement(using: &random) ?? SampleResponse.all[0]
            let mutation = Mutation.allCases.randomElement(using: &random) ?? .truncate
            let bytes = mutation.apply(to: sample.bytes, using: &random)
            let exchange = try OfflineConnection.run(.get, split(bytes, using: &random))
            guard exchange.isEnded else {
                Issue.record("\(mutation) left the exchange waiting: \(Data(bytes).base64EncodedString())")
                continue
            }
            guard let outcome = try? await OfflineConnection.outcome(of: exchange) else { continue }
            if let problem = shortness(of: outcome, sent: bytes, mutation, sample) {
                Issue.record("\(problem) after \(mutation): \(Data(bytes).base64EncodedString())")
            }
        }
    }

    @Test(arguments: SampleResponse.all)
    func `Without a mutation each sample gives its body, with any split`(sample: SampleResponse) async throws {
        for size in 1...sample.bytes.count {
            let pieces = stride(from: 0, to: sample.bytes.count, by: size).map {
                Array(sample.bytes[$0..<min($0 + size, sample.bytes.count)])
            }
            let outcome = try await OfflineConnection.outcome(of: try OfflineConnection.run(.get, pieces))
            #expect(outcome.body == sample.body)
        }
    }

    @Test(arguments: SampleResponse.all)
    func `Every truncation of a framed response is an error`(sample: SampleResponse) async throws {
        guard sample.isFramed else { return }
        for length in 0..<sample.bytes.count {
            let exchange = try OfflineConnection.run(.get, [Array(sample.bytes[..<length])])
            #expect(exchange.isEnded)
            let error = await #expect(throws: NetworkError.self) { try await OfflineConnection.outcome(of: exchange) }
            #expect(["connectionLost", "incompleteBody"].contains(error?.kind), "\(length) bytes")
        }
    }

    /// Returns a description of the error in a successful outcome, judged by the bytes alone.
    private func shortness(
        of outcome: OfflineConnection.Outcome,
        sent bytes: [UInt8],
        _ mutation: Mutation,
        _ sample: SampleResponse
    ) -> String? {
        if mutation == .truncate, sample.isFramed { return "a truncated response was a success" }
        let hasBody = outcome.status != 204 && outcome.status != 304
        let announced = outcome.fields[values: .contentLength]
        if hasBody, announced.contains(where: { Int($0) != outcome.body.count }) {
            return "\(outcome.body.count) bytes came of \(announced)"
        }
        if hasBody, outcome.fields[.transferEncoding] != nil, !bytes.contains(subsequence: Array("0\r\n".utf8)),
            !bytes.contains(subsequence: Array("0;".utf8))
        {
            return "a chunked body ended without its last chunk"
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

extension Array where Element == UInt8 {
    fileprivate func contains(subsequence: [UInt8]) -> Bool {
        guard count >= subsequence.count else { return false }
        return (0...(count - subsequence.count)).contains {
            self[$0..<($0 + subsequence.count)].elementsEqual(subsequence)
        }
    }
}
