import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct DownloadTargetsTests {
    private static let one = "https://example.com/a.zip"
    private static let two = "https://example.com/b.zip"

    @Test(
        arguments: [
            ([one], nil, [one], .folder(".")),
            ([one, "map.zip"], nil, [one], .file("map.zip")),
            ([one, "maps"], nil, [one], .folder("maps")),
            ([one, "new/"], nil, [one], .folder("new/")),
            ([one, two], nil, [one, two], .folder(".")),
            ([one, two, "maps"], nil, [one, two], .folder("maps")),
            ([one, two], "new", [one, two], .folder("new")),
            (["example.com/a.zip"], nil, ["example.com/a.zip"], .folder(".")),
            (
                ["localhost:80/a", "localhost:80/b"], nil, ["http://localhost:80/a", "http://localhost:80/b"],
                .folder(".")
            ),
            ([one, "localhost"], nil, [one], .file("localhost")),
        ] as [([String], String?, [String], DownloadTargets.Target)]
    )
    func `A last argument that is not a URL is a file or a folder`(
        arguments: [String],
        folder: String?,
        urls: [String],
        target: DownloadTargets.Target
    ) throws {
        let targets = try DownloadTargets(arguments, into: folder) { $0 == "maps" }
        #expect(targets.urls == urls)
        #expect(targets.target == target)
    }

    @Test(
        arguments: [
            ([one, two, "map.zip"], nil, "--into map.zip"), ([one, "map.zip"], "maps", "--into"),
            ([one, "-"], nil, "sallyport get"),
        ] as [([String], String?, String)]
    )
    func `Invalid download arguments are refused with the correct form`(
        arguments: [String],
        folder: String?,
        words: String
    ) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try DownloadTargets(arguments, into: folder) { $0 == "maps" }
        }
        #expect(failure?.status == .usage)
        #expect(failure?.message.contains(words) == true)
    }

    @Test func `A bar has the name of its file, or that in the URL`() throws {
        func name(of arguments: String...) throws -> String {
            let targets = try DownloadTargets(arguments, into: nil) { _ in false }
            return targets.name(of: targets.items[0])
        }
        #expect(try name(of: Self.one, "map") == "map")
        #expect(try name(of: Self.one) == "a.zip")
        #expect(try name(of: "https://example.com/") == "example.com")
        #expect(try name(of: "https://example.com") == "example.com")
    }

    @Test func `The files of a list follow those of the arguments, in the same folder`() throws {
        let list = try DownloadItem.list(in: "\(Self.two) sub/b.zip\n", of: "list")
        for arguments in [[Self.one], [Self.one, "maps"], ["maps"], []] {
            let targets = try DownloadTargets(arguments, into: nil, list: list) { $0 == "maps" }
            #expect(targets.urls == (arguments.first == Self.one ? [Self.one, Self.two] : [Self.two]))
            let folder = arguments.last == "maps" ? "maps" : "."
            #expect(targets.target == .folder(folder))
            let item = try #require(targets.items.last)
            #expect(targets.name(of: item) == "sub/b.zip")
            let destination = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("sub/b.zip")
            #expect(targets.destination(of: item) == .file(destination))
        }
        let failure = #expect(throws: CommandFailure.self) {
            try DownloadTargets(["map.zip"], into: nil, list: list) { _ in false }
        }
        #expect(failure?.message.contains("--into map.zip") == true)
    }
}
