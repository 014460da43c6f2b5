import NIOCore
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.busy) struct MutatedProxiesTests {
    private static let connectAnswers = [
        "HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\n",
        "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
    ].map { Array($0.utf8) }

    private static let socksAnswers: [[UInt8]] = [
        [5, 2, 1, 0, 5, 0, 0, 1, 127, 0, 0, 1, 1, 2], [5, 0, 5, 0, 0, 3, 4, 97, 98, 99, 100, 1, 2], [5, 2, 1, 1],
        [5, 0, 5, 0, 0, 4] + Array(repeating: 7, count: 18), [5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0],
    ]

    /// Returns the outcome of a handshake as text. An error must name the proxy and contain no secret.
    private func outcome(_ handshake: any ProxyHandshake, _ bytes: [UInt8], inPiecesOf size: Int) -> String {
        var handshake = handshake
        var buffer = ByteBuffer()
        for start in stride(from: 0, to: bytes.count, by: size) {
            buffer.writeBytes(bytes[start..<min(start + size, bytes.count)])
            do throws(NetworkError) {
                var step = try handshake.receive(&buffer)
                while case .send = step { step = try handshake.receive(&buffer) }
                if step == .established { return "open" }
            } catch {
                let text = error.description
                if !text.contains("proxy:1") || text.contains("canary") || error.failure.phase != .connect {
                    Issue.record(error)
                }
                return text
            }
        }
        return "waiting"
    }

    @Test(arguments: [true, false]
    )
    func `The outcome of a mutated response does not depend on how it is split`(isConnect: Bool) throws {
        var random = SeededGenerator(seed: 20_261_121)
        let origin = Origin(scheme: .https, host: "example.com", port: 443)
        let handshake: any ProxyHandshake =
            isConnect
            ? HTTPConnectHandshake(
                proxy: try Proxy("http://u:canary@proxy:1"),
                origin: origin,
                limits: ResponseLimits()
            )
            : SOCKSHandshake(proxy: try Proxy("socks5h://u:canary@proxy:1"), destination: origin.host, port: 443)
        let answers = isConnect ? Self.connectAnswers : Self.socksAnswers
        var outcomes: [String: Int] = [:]
        for number in 0..<3_000 {
            let mutation = Mutation.allCases[number % Mutation.allCases.count]
            let bytes = mutation.apply(to: answers[number % answers.count], using: &random)
            let whole = outcome(handshake, bytes, inPiecesOf: bytes.count + 1)
            let byteByByte = outcome(handshake, bytes, inPiecesOf: 1)
            if whole != byteByByte { Issue.record("\(bytes): \(whole), but byte by byte \(byteByByte)") }
            outcomes[whole, default: 0] += 1
        }
        #expect(outcomes["open", default: 0] > 50)
        #expect(outcomes["waiting", default: 0] > 50)
        #expect(outcomes.count > 5)
    }
}
