import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ReadmeTests {
    private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    private static func lines(of path: String) throws -> [String] {
        try String(contentsOf: here.appendingPathComponent(path), encoding: .utf8)
            .components(separatedBy: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func swiftBlocks(of path: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in try lines(of: "../../\(path)") {
            if line == "```swift" {
                block = []
            } else if line == "```" {
                block.map { blocks.append($0) }
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    @Test(arguments: ["README.md", "Docs/caching.md", "Docs/testing.md"])
    func `Each Swift block of a document is in Snippets.swift, so that it compiles`(path: String) throws {
        let snippets = try Self.lines(of: "Snippets.swift") + Self.lines(of: "Articles/TestingSnippets.swift")
        let blocks = try Self.swiftBlocks(of: path)
        #expect(blocks.count >= 4)
        for block in blocks {
            let imports = block.filter { $0.hasPrefix("import ") }
            #expect(imports.allSatisfy(snippets.contains))
            let code = Array(block.drop { $0.hasPrefix("import ") || $0.isEmpty })
            let isThere = snippets.indices.contains { snippets[$0...].starts(with: code) }
            #expect(isThere, "not in Snippets.swift: \(code.joined(separator: "\n"))")
        }
    }

    @Test func `The mock of the README responds to a request`() async throws {
        let response = try await mocked().request { request in request.url = "https://api.example.com/users/7" }
        #expect(response.status == .ok)
        #expect(response.bodyAsString().contains("John Doe"))
    }
}
