import Foundation
import Sallyport
import TestSupport
import Testing

/// What is written is read back, whatever it is and however it is cut.
@Suite(.concurrencyLimited) struct MultipartRoundTripTests {
    private static let names = [
        "a", "", "ü", "\"", "\r\n", "a\"b; c=\"d\"", "e\u{301}", "👩‍👩‍👧", "\\", "a\\\"b", "%", "a;b", "😀\n\"\\",
    ]
    private static let snippets = [
        "\r", "\n", "-", "\r\n", "\r\n-", "\r\n--", "--", "x", " ", "\0", "\r\n--boundary", "\r\n--boundar",
        "--boundary--", "\r\n--boundary-", "\r\n\r\n", "\r\n--boundary ", "\r\n--boundaryx\r\n",
        "\r\n--boundar\r\n--boundary\u{1}",
    ]

    /// A boundary of which others are the beginning, so that the snippets come close to it.
    private let boundary = "boundary7"

    private func content(_ random: inout SeededGenerator) -> Data {
        var content = Data()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            content += Data(Self.snippets.randomElement(using: &random)!.utf8)
        }
        return content
    }

    @Test(arguments: 0..<8)
    func `Random forms are read back, byte by byte as well as whole`(seed: UInt64) async throws {
        var random = SeededGenerator(state: seed)
        for _ in 0..<25 {
            var form = try MultipartForm(boundary: boundary)
            var expected: [ReadPart] = []
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let part = ReadPart(
                    name: Self.names.randomElement(using: &random)!,
                    filename: Bool.random(using: &random) ? Self.names.randomElement(using: &random)! : nil,
                    contentType: "x/y",
                    content: content(&random)
                )
                expected.append(part)
                form.append(name: part.name ?? "", data: part.content, filename: part.filename, contentType: "x/y")
            }
            let preamble = Bool.random(using: &random) ? content(&random) + Data("\r\n".utf8) : Data()
            let bytes = try await preamble + form.body().written().bytes + content(&random)
            for largest in [1, 2, 7, 100, .max] {
                let body = pieces(bytes) { largest < 3 ? largest : Int.random(in: 1...largest, using: &random) }
                var parts = try await readParts(MultipartReader(body, contentType: form.contentType))
                for index in parts.indices { parts[index].headers = [:] }
                #expect(parts == expected)
            }
        }
    }

    private static let headers = [
        "X: y", "Content-Disposition: form-data; name=\"a\"", "\r\n\r\n", ":", "\r\n ", "\r\n--boundary7\r\n",
        "\r\n--boundary7--", "\r\n--boundary7\t \r\n", "--boundary7",
    ]

    @Test(arguments: 0..<8)
    func `Any bytes are the same parts and the same error, byte by byte as well as whole`(seed: UInt64) async throws {
        var random = SeededGenerator(state: seed)
        var errors: Set<String> = []
        for _ in 0..<100 {
            var bytes = Data()
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                bytes += Data((Self.snippets + Self.headers + Self.headers).randomElement(using: &random)!.utf8)
            }
            let limits = MultipartLimits(
                parts: Int.random(in: 1...4, using: &random),
                headerBytes: Int.random(in: 10...100, using: &random),
                partBytes: Int64.random(in: 0...100, using: &random),
                surroundingBytes: Int.random(in: 10...100, using: &random)
            )
            let type = "multipart/form-data; boundary=boundary7"
            var outcomes: [Result<[ReadPart], MultipartError>] = []
            for size in [Int.max, 1, 3] {
                let reader = try MultipartReader(pieces(bytes) { size }, contentType: type, limits: limits)
                do {
                    outcomes.append(.success(try await readParts(reader)))
                } catch let error as MultipartError {
                    outcomes.append(.failure(error))
                }
            }
            #expect(
                outcomes.allSatisfy { $0 == outcomes[0] },
                "\(String(decoding: bytes, as: UTF8.self).debugDescription)"
            )
            if case .failure(let error) = outcomes[0] { errors.insert("\(error)".filter(\.isLetter)) }
        }
        // The bytes are such that most errors come up.
        #expect(errors.count >= 4)
    }

    @Test(arguments: ["\r\n--boundary", "\r", "\r\n--boundary7 x", "\r\n--boundary7-x", "\n"])
    func `Content that comes close to the boundary takes no more than its share of time`(snippet: String) async throws {
        let content = Data(String(repeating: snippet, count: 2 << 20 / snippet.utf8.count).utf8)
        let start = "--boundary7\r\n\r\n"
        let bytes = Data(start.utf8) + content + Data("\r\n--boundary7--".utf8)
        let clock = ContinuousClock()
        let type = "multipart/form-data; boundary=boundary7"
        let time = try await clock.measure {
            var length = 0
            for try await part in try MultipartReader(pieces(bytes) { 16_384 }, contentType: type) {
                for try await chunk in part.body { length += chunk.count }
            }
            #expect(length == content.count)
        }
        // Were it quadratic in a chunk, it would take minutes.
        #expect(time < .seconds(20))
    }
}
