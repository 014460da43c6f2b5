import SallyportTransfers
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct DownloadItemTests {
    private static let hexadecimal = String(repeating: "ab", count: 32)

    private static var digest: ContentDigest {
        get throws { try ContentDigest("sha-256=\(hexadecimal)") }
    }

    @Test func `A line has a URL, and optionally a name, which may contain spaces, and a digest`() throws {
        let text = """
            # The first line is a comment.

            https://example.com/a.zip
            https://example.com/get?id=1\tb.zip
              https://example.com/c  reports/June 2026.pdf  sha256:\(Self.hexadecimal)  \r
            https://ada:s3cret@example.com/d SHA-256=\(Self.hexadecimal)
            https://example.com/e shared=1 file
            """
        let items = try DownloadItem.list(in: text, of: "list")
        #expect(
            items.map(\.url) == [
                "https://example.com/a.zip", "https://example.com/get?id=1", "https://example.com/c",
                "https://example.com/d", "https://example.com/e",
            ]
        )
        #expect(items.map(\.path) == [nil, "b.zip", "reports/June 2026.pdf", nil, "shared=1 file"])
        #expect(try items.map(\.digest) == [nil, nil, Self.digest, Self.digest, nil])
        #expect(items[3].address.user?.name == "ada")
    }

    @Test(
        arguments: [
            ("example.com/a?token=s3cret", "it must begin with a URL"),
            ("https://example.com/a ../b", "without . and .."),
            ("https://example.com/a /etc/passwd", "without . and .."),
            ("https://example.com/a b/./c", "without . and .."), ("https://example.com/a b/", "without . and .."),
            ("https://example.com/a md5:d41d8cd98f00b204e9800998ecf8427e", "does not begin with sha-256= or sha-512="),
            ("https://example.com/a b sha256:12", "has 1 bytes"),
        ]
    )
    func `An invalid line is refused with its number, and is not quoted`(line: String, words: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try DownloadItem.list(in: "https://example.com/x\n\(line)\n", of: "list.txt")
        }
        #expect(failure?.status == .usage)
        #expect(failure?.message.hasPrefix("line 2 of list.txt is invalid: ") == true)
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("s3cret") == false)
    }
}
