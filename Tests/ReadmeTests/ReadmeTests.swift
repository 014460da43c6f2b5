import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ReadmeTests {
    private static let package = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized

    /// The README, and the files in the folders `*.docc`: the pages and articles of the documentation.
    private static let documents =
        ["README.md"] + ["Docs", "Sources"].flatMap { files(in: $0) { $0.contains(".docc/") && $0.hasSuffix(".md") } }

    /// The lines of all files of snippets. Blocks that need one of the package's traits are in the targets that are built with it.
    private static let snippets = files(in: "Tests") { $0.hasSuffix("Snippets.swift") }
        .flatMap { (try? lines(of: $0)) ?? [] }

    private static func files(in folder: String, where condition: (String) -> Bool) -> [String] {
        let root = package.appendingPathComponent(folder)
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: root.path)) ?? []
        return paths.filter(condition).map { "\(folder)/\($0)" }.sorted()
    }

    private static func lines(of path: String) throws -> [String] {
        try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
            .components(separatedBy: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func swiftBlocks(of path: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in try lines(of: path) {
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

    @Test(arguments: documents)
    func `Each Swift block of a document is in a file of snippets, so that it compiles`(path: String) throws {
        for block in try Self.swiftBlocks(of: path) {
            let imports = block.filter { $0.hasPrefix("import ") }.map { line in
                line.components(separatedBy: "  //")[0]
            }
            #expect(imports.filter { !Self.snippets.contains($0) } == [])
            // The tests of the tutorial import its program, which is in the same file of snippets.
            let code = Array(block.drop { $0.hasPrefix("import ") || $0.hasPrefix("@testable import ") || $0.isEmpty })
            let isThere = Self.snippets.indices.contains { Self.snippets[$0...].starts(with: code) }
            #expect(isThere, "in no file of snippets: \(code.joined(separator: "\n"))")
        }
    }

    @Test func `The README and the articles contain Swift blocks`() throws {
        let counts = try Self.documents.map { try Self.swiftBlocks(of: $0).count }
        #expect(counts[0] > 0)
        #expect(counts.reduce(0, +) >= 60)
    }

    @Test func `Each file that a document links to exists`() throws {
        let guides = Self.files(in: "Docs") { $0.hasSuffix(".md") } + Self.files(in: "Examples") { $0 == "README.md" }
        for document in ["README.md", "CONTRIBUTING.md"] + guides {
            let text = try String(contentsOf: Self.package.appendingPathComponent(document), encoding: .utf8)
            let folder = Self.package.appendingPathComponent(document).deletingLastPathComponent()
            for link in text.matches(of: /\]\(([^)#\s]+)/).map({ String($0.1) }) where !link.contains("://") {
                let file = folder.appendingPathComponent(link).path
                #expect(FileManager.default.fileExists(atPath: file), "\(document): \(link)")
            }
        }
    }
}
