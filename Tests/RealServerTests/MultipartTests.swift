import Crypto
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.multipart != nil, "run .ci/real-servers multipart to have parsers started")
)
struct MultipartTests {
    /// A parser of forms.
    enum Peer: String, CaseIterable {
        case multipart, werkzeug, django, gateway

        var url: String {
            self == .gateway
                ? "\(RealServer.gatewayTestRoutes ?? "")/multipart" : "\(RealServer.multipart ?? "")/\(rawValue)"
        }

        /// Returns a name as this parser returns it, also for forms of browsers: not all parsers reverse each escape of the
        /// HTML standard, and one of them treats a backslash as an escape.
        func name(_ name: String) -> String {
            var name = self == .werkzeug ? name.replacingOccurrences(of: "\\", with: "") : name
            if self == .django { name = name.replacingOccurrences(of: "\"", with: "%22") }
            if self == .django || self == .werkzeug {
                name = name.replacingOccurrences(of: "\r", with: "%0D").replacingOccurrences(of: "\n", with: "%0A")
            }
            return name
        }
    }

    struct Answer: Decodable {
        let parts: [Part]
    }

    /// A part as returned by a parser; not all parsers return the type of a field.
    struct Part: Decodable, Hashable {
        var name: String?
        var filename: String?
        var contentType: String?
        let length: Int
        let sha256: String

        init(_ name: String, _ content: Data, filename: String? = nil, contentType: String? = nil) {
            self.name = name
            self.filename = filename
            self.contentType = contentType
            length = content.count
            sha256 = SHA256.hash(data: content).map { String(format: "%02x", $0) }.joined()
        }
    }

    /// Sends a form, and returns the number of occurrences of each part, because not all parsers keep the order.
    private func send(_ form: MultipartForm, to peer: Peer) async throws -> [Part: Int] {
        let client = HttpClient.createClient { _ in }
        let response = try await client.request { request in
            request.url = peer.url
            request.timeout = 60
            request.multipart(form)
        }
        #expect(response.status == .ok, "\(response.bodyAsString().prefix(500))")
        return counted(try response.decode(Answer.self).parts)
    }

    private func counted(_ parts: [Part]) -> [Part: Int] {
        Dictionary(
            parts.map { part in
                var part = part
                if part.filename == nil { part.contentType = nil }
                return (part, 1)
            },
            uniquingKeysWith: +
        )
    }

    private static let names = [
        "plain", "", "with space", "a \"quoted\" name", "two\r\nlines", "Ünïcödé", "日本語", "🎉", "e\u{301}", "a;b='c'",
        "100%",
        "a\\b", "[x][]", "=", "'", "&", "a: b",
    ]

    @Test(arguments: Peer.allCases)
    func `Any names and values of fields are parsed unchanged`(peer: Peer) async throws {
        var form = MultipartForm()
        let ending = "\r\n--\(form.boundary.dropLast())"
        for name in Self.names { form.append(name: name, value: "Value of \(name)\(ending)") }
        let expected = Self.names.map { Part(peer.name($0), Data("Value of \($0)\(ending)".utf8)) }
        #expect(try await send(form, to: peer) == counted(expected))
    }

    @Test(arguments: Peer.allCases)
    func `Several files under one name are parsed unchanged, whatever their file names`(peer: Peer) async throws {
        try await withTemporaryDirectory { folder in
            let names = ["a.txt", "empty.bin", "a \"b\".png", "Zürich 🎉 e\u{301}.pdf", "two\nlines.json"]
            var random = SystemRandomNumberGenerator()
            var files: [URL] = []
            var expected: [Part] = []
            for (index, name) in names.enumerated() {
                let count = name == "empty.bin" ? 0 : index * 200_000 + 1
                let content = Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
                files.append(folder.appendingPathComponent(name))
                try content.write(to: files[index])
                let type = MediaType.ofFile(named: name)
                expected.append(Part("the \"files\"", content, filename: name, contentType: type))
            }
            for index in expected.indices {
                expected[index].name = expected[index].name.map(peer.name)
                expected[index].filename = expected[index].filename.map(peer.name)
            }
            var form = MultipartForm()
            form.append(name: "the \"files\"", files: files)
            #expect(try await send(form, to: peer) == counted(expected))
        }
    }

    @Test(arguments: Peer.allCases)
    func `A stream of unknown length is parsed unchanged between other parts`(peer: Peer) async throws {
        let chunks = (0..<300).map { Data(repeating: UInt8(truncatingIfNeeded: $0), count: $0 * 10) }
        let stream = AsyncStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
        var form = MultipartForm()
        form.append(name: "before", value: "1")
        form.append(name: "s", stream: BodyStream(stream), filename: "s.bin", headers: ["X-Part": "ü"])
        form.append(name: "after", value: "")
        let content = Data(chunks.joined())
        let expected = [
            Part("before", Data("1".utf8)), Part("after", Data()),
            Part("s", content, filename: "s.bin", contentType: "application/octet-stream"),
        ]
        #expect(try await send(form, to: peer) == counted(expected))
    }

    @Test(arguments: Peer.allCases)
    func `Ten thousand parts are parsed unchanged`(peer: Peer) async throws {
        var form = MultipartForm()
        for number in 0..<9_900 { form.append(name: "field \(number)", value: "\(number)") }
        for number in 0..<100 { form.append(name: "file", data: Data("\(number)".utf8), filename: "\(number).txt") }
        let fields = (0..<9_900).map { Part("field \($0)", Data("\($0)".utf8)) }
        let files = (0..<100).map { number in
            Part("file", Data("\(number)".utf8), filename: "\(number).txt", contentType: "text/plain")
        }
        #expect(try await send(form, to: peer) == counted(fields + files))
    }

    @Test(arguments: [[], ["--form-escape"]])
    func `The gateway parses forms of curl with both kinds of escaping`(options: [String]) async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("some file.txt")
            let content = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            try content.write(to: file)
            let arguments =
                ["--silent", "--fail-with-body", "--max-time", "60"] + options + [
                    "--form-string", "title=Ünï 🎉", "--form-string", "a\"b=quoted", "--form-string", "empty=",
                    "--form", "files=@\"\(file.path)\"",
                    "--form", "files=@\"\(file.path)\";type=image/png;filename=\"a \\\"b\\\" 🎉.png\"",
                    Peer.gateway.url,
                ]
            let answer = try JSONDecoder().decode(Answer.self, from: try await output(of: "curl", arguments))
            #expect(
                answer.parts == [
                    Part("title", Data("Ünï 🎉".utf8), contentType: "text/plain"),
                    Part("a\"b", Data("quoted".utf8), contentType: "text/plain"),
                    Part("empty", Data(), contentType: "text/plain"),
                    Part("files", content, filename: "some file.txt", contentType: "text/plain"),
                    Part("files", content, filename: "a \"b\" 🎉.png", contentType: "image/png"),
                ]
            )
        }
    }

    private func output(of program: String, _ arguments: [String]) async throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.start()
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "test.blocking").async {
                continuation.resume(with: Result { try pipe.fileHandleForReading.readToEnd() ?? Data() })
            }
        }
    }
}
