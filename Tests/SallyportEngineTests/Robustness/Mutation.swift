import TestSupport
import Foundation

/// A response in the form in which a server sends it, and its body.
struct SampleResponse: Sendable {
    let bytes: [UInt8]
    let body: [UInt8]
    /// A Boolean value that indicates whether the framing determines the end of the body, not the close of the connection.
    let isFramed: Bool

    private init(
        _ head: String,
        _ framedBody: [UInt8] = [],
        body: [UInt8],
        isFramed: Bool = true,
        lineEnding: String = "\r\n"
    ) {
        bytes = Array(head.replacing("\n", with: lineEnding).utf8) + framedBody
        self.body = body
        self.isFramed = isFramed
    }

    static let text = Array("The quick brown fox jumps over the lazy dog. 0123456789\r\n\r\nHTTP/1.1 200 OK".utf8)

    static let all: [SampleResponse] = [
        SampleResponse(
            "HTTP/1.1 200 OK\nContent-Length: \(text.count)\nContent-Type: text/plain\n\n",
            text,
            body: text
        ),
        SampleResponse("HTTP/1.1 204 No Content\nServer: x\n\n", body: []),
        SampleResponse("HTTP/1.1 404 Not Found\nContent-Length: 0\nSet-Cookie: a=b\nSet-Cookie: c=d\n\n", body: []),
        SampleResponse("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", chunked(text, size: 7), body: text),
        SampleResponse(
            "HTTP/1.1 103 Early Hints\nLink: </a>\n\nHTTP/1.1 200 OK\nTransfer-Encoding: chunked\nTrailer: Digest\n\n",
            chunked(text, size: 30, trailers: "Digest: abc\r\n"),
            body: text
        ),
        SampleResponse("HTTP/1.0 200 OK\nServer: old\n\n", text, body: text, isFramed: false),
        SampleResponse("HTTP/1.1 200 OK\nConnection: close\nContent-Length: \(text.count)\n\n", text, body: text),
        SampleResponse("HTTP/1.1 200 OK\nContent-Length: \(text.count)\n\n", text, body: text, lineEnding: "\n"),
    ]

    private static func chunked(_ bytes: [UInt8], size: Int, trailers: String = "") -> [UInt8] {
        var framed: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let chunk = bytes[start..<min(start + size, bytes.count)]
            framed += Array("\(String(chunk.count, radix: 16));note=\"x\"\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        return framed + Array("0\r\n\(trailers)\r\n".utf8)
    }
}

/// A mutation of a response.
enum Mutation: CaseIterable, Sendable {
    case truncate, flip, insertNoise, delete, duplicate, swapHalves, enlargeNumbers, replaceWithNoise, foreignLine

    func apply(to bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, position + Int.random(in: 1...24, using: &random))
        switch self {
        case .truncate:
            return Array(bytes[..<position])
        case .flip:
            var flipped = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                flipped[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            return flipped
        case .insertNoise:
            return Array(bytes[..<position]) + noise(&random) + bytes[position...]
        case .delete:
            return Array(bytes[..<position]) + bytes[end...]
        case .duplicate:
            return Array(bytes[..<end]) + bytes[position...]
        case .swapHalves:
            return Array(bytes[position...]) + bytes[..<position]
        case .enlargeNumbers:
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            return bytes.flatMap { digits.contains($0) && Bool.random(using: &random) ? [$0, $0, $0] : [$0] }
        case .replaceWithNoise:
            return noise(&random)
        case .foreignLine:
            let lines = [
                "Content-Length: 5\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: gzip\r\n", "\r\n", "A\0B: c\r\n",
                " folded\r\n",
            ]
            return Array(bytes[..<position]) + Array((lines.randomElement(using: &random) ?? "").utf8)
                + bytes[position...]
        }
    }

    private func noise(_ random: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 1...64, using: &random)).map { _ in .random(in: .min ... .max, using: &random) }
    }
}

/// The number of mutations per test: 20,000 by default, or the value of `SALLYPORT_MUTATIONS`.
enum Mutations {
    static let seeds: Range<UInt64> = 0..<50

    static let perSeed = (count ?? 20_000) / seeds.count

    private static let count = ProcessInfo.processInfo.environment["SALLYPORT_MUTATIONS"].flatMap { Int($0) }
}
