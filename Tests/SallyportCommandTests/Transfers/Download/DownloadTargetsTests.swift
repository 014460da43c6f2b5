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
        #expect(try DownloadTargets([Self.one, "map"], into: nil) { _ in false }.name(of: Self.one) == "map")
        let targets = try DownloadTargets([Self.one], into: nil) { _ in false }
        #expect(targets.name(of: Self.one) == "a.zip")
        #expect(targets.name(of: "https://example.com/") == "example.com")
        #expect(targets.name(of: "https://example.com") == "example.com")
    }
}
