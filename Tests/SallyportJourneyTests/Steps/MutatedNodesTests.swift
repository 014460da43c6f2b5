import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

/// Node documents with random changes: each is a step or has an error of its own, and what can be answered is sent back unchanged
/// apart from the answers.
@Suite(.busy) struct MutatedNodesTests {
    private static let seeds: Range<UInt64> = 0..<20

    /// 1,000 by default, or half the value of `SALLYPORT_MUTATIONS`, because each takes longer than those of other suites.
    private static let perSeed =
        (ProcessInfo.processInfo.environment["SALLYPORT_MUTATIONS"].flatMap { Int($0) } ?? 2000) / 2 / seeds.count

    @Test(.serialized, arguments: seeds)
    func `Every mutation of a node is a step or a specific error`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let journey = try TreeServer().journey()
        let run = JourneyRun(journey, tree: "Login")
        for _ in 0..<Self.perSeed {
            await Task.yield()
            let sample = Exchange.all.randomElement(using: &random)?.received ?? ""
            let bytes = Self.mutate(Array(sample.utf8), using: &random)
            let status = [200, 200, 200, 401, 500].randomElement(using: &random) ?? 200
            let response = HttpResponse(
                status: HttpStatus(code: status),
                body: Data(bytes),
                request: HttpRequest(url: TreeServer.base)
            )
            do throws(JourneyError) {
                guard case .node(let document, let callbacks) = try JourneyResponse(response) else { continue }
                let node = try Node(document, callbacks: callbacks, number: 1, run: run)
                try Self.answerAndCompare(node, with: bytes)
            } catch {
                #expect(error.kind == "invalidResponse", "\(error): \(Data(bytes).base64EncodedString())")
            }
        }
    }

    /// Reads all properties of the callbacks, answers the raw inputs, and checks the bytes around them.
    private static func answerAndCompare(_ node: Node, with bytes: [UInt8]) throws(JourneyError) {
        #expect(!"\(node)".isEmpty)
        for callback in node.callbacks {
            _ = callback.missingAnswer
            if let validated = callback as? any ValidatedCallback { _ = validated.failedPolicies }
            if let polling = callback as? PollingWaitCallback { #expect(polling.waitTime <= .seconds(3600)) }
        }
        guard node.document["authId"] != nil, !node.isSuspended else { return }
        var answered = node
        for index in answered.callbacks.indices {
            var raw = answered.callbacks[index].raw
            guard let name = raw.inputNames.first else { continue }
            try raw.setInput(name, to: "canary")
            answered.callbacks[index] = raw
        }
        let sent = try answered.answered()
        // A name may occur twice: only the first input is answered.
        let changes = answered.callbacks.reduce(0) { $0 + $1.raw.answers.count }
        #expect(sent.text.matches(of: /"canary"/).count >= changes)
        if changes == 0 { #expect(sent.data == Data(bytes)) }
    }

    /// Returns bytes with a random change, which often leaves them JSON.
    private static func mutate(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, position + Int.random(in: 1...24, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return Array(bytes[..<position])
        case 1: return Array(bytes[..<position]) + bytes[end...]
        case 2: return Array(bytes[..<end]) + bytes[position...]
        case 3:
            var flipped = bytes
            flipped[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            return flipped
        case 4:
            let nested = String(repeating: "[", count: Int.random(in: 1...200, using: &random))
            return Array(bytes[..<position]) + Array(nested.utf8) + bytes[position...]
        default:
            // Another value in place of a text, so that outputs and inputs have unexpected types.
            let values = ["null", "1e400", "-0", "[]", "{}", "true", "\"\"", #""\ud83d\ude00""#, "[[1],{\"value\":2}]"]
            let value = values.randomElement(using: &random) ?? "null"
            let text = String(decoding: bytes, as: UTF8.self)
            let ranges = text.ranges(of: /"[^"\\]*"/)
            guard let range = ranges.randomElement(using: &random) else { return bytes }
            return Array(text.replacingCharacters(in: range, with: value).utf8)
        }
    }
}
