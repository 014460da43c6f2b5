import Foundation
import Sallyport
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DownloadListTests {
    private func bytes(_ url: String) async throws -> Data {
        let client = HttpClient()
        defer { client.close() }
        return try #require(try await client.request(request: HttpRequest(url: url)).body)
    }

    @Test func `The files of a list get their names and are verified, and those of arguments precede them`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let into = folder.appendingPathComponent("files")
            try await withGateway { base in
                let digest = ContentDigest.of(try await bytes(base + "/bytes/2000"), .sha256).hexadecimal
                let wrong = String(repeating: "0", count: 64)
                let list = try folder.file(
                    "list.txt",
                    """
                    # three files
                    \(base)/bytes/2000  reports/June 2026.bin  sha256:\(digest)
                    \(base)/bytes/3000 wrong.bin sha-256=\(wrong)
                    \(base)/bytes/4000
                    """
                )
                let arguments = ["download", base + "/bytes/1000", "--input", list, "--into", into.path]
                let outcome = try await Tool.run(arguments)
                #expect(outcome.status == 120, "\(outcome.errors)")
                #expect(outcome.errors.contains("not the expected sha-256=\(wrong)"))
                #expect(outcome.errors.contains("reports/June 2026.bin: 2.0 KiB in "))
                #expect(try into.names == ["1000", "4000", "reports"])
                #expect(try into.appendingPathComponent("reports").names == ["June 2026.bin"])
            }
        }
    }

    @Test func `A list is read from standard input, and its files go to a folder argument`() async throws {
        try await withTemporaryDirectory { folder in
            try await withGateway { base in
                let list = Data("\(base)/bytes/1000 one\n\(base)/bytes/2000 two\n".utf8)
                let outcome = try await Tool.run(
                    ["download", "-i", "-", folder.path, "--limit-rate", "1G"],
                    input: list
                )
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(try folder.names == ["one", "two"])
            }
        }
    }

    @Test(
        arguments: [
            (["--input", "-"], "", "standard input has no URLs"),
            (["--input", "-"], "https://a/b c\nhttps://a/c c\n", "two files with the name c"),
            (["--input", "-", "--checksums", "-"], "", "Only one of --input and --checksums can read standard input"),
            (["--input", "-", "-H", "@-"], "", "can read standard input"),
            (
                ["--input", "-", "--digest", "sha-256=\(String(repeating: "0", count: 64))"],
                "https://a/b\nhttps://a/c\n", "--digest"
            ),
            (["--input", "-", "/no/such/folder"], "https://a/b\n", "--into /no/such/folder"), ([], "", "--input"),
        ] as [([String], String, String)]
    )
    func `Invalid lists and combinations of options are refused`(options: [String], input: String, words: String)
        async throws
    {
        let outcome = try await Tool.run(["download"] + options, input: Data(input.utf8))
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func `Files are verified with a checksum file, from a file or a URL`() async throws {
        try await withTemporaryDirectory { folder in
            try await withGateway { base in
                let urls = [base + "/bytes/1000", base + "/bytes/2000"]
                var sums = ""
                for url in urls {
                    let digest = ContentDigest.of(try await bytes(url), .sha256)
                    sums += "\(digest.hexadecimal)  ./\(url.split(separator: "/").last ?? "")\n"
                }
                let file = try folder.file("SHA256SUMS", sums)
                #expect(try await Tool.run("put", base + "/files/SHA256SUMS", "--body", "@\(file)").status == 0)
                for (index, source) in [file, base + "/files/SHA256SUMS"].enumerated() {
                    let into = folder.appendingPathComponent("\(index)")
                    let outcome = try await Tool.run(
                        ["download"] + urls + ["--into", into.path, "--checksums", source]
                    )
                    #expect(outcome.status == 0, "\(outcome.errors)")
                    #expect(outcome.errors.split(separator: "\n").allSatisfy { $0.hasSuffix(", sha-256 matches") })
                    #expect(try into.names == ["1000", "2000"])
                }
                let into = folder.appendingPathComponent("none")
                let missing = try await Tool.run(
                    ["download", urls[0], base + "/bytes/3000", "--into", into.path, "--checksums", file]
                )
                #expect(missing.status == 2)
                let words = "the checksum file \(file) has no digest of 3000; it has 1000, 2000\n"
                #expect(missing.errors == "sallyport: \(words)")
                #expect(try into.names.isEmpty)
                let refused = try await Tool.run("download", urls[0], "--checksums", base + "/status/404")
                #expect(refused.status == 22)
                #expect(refused.errors.contains("the checksum file: "), "\(refused.errors)")
            }
        }
    }

    @Test func `The queue accepts a list and a checksum file`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let files = folder.appendingPathComponent("files")
            try await withGateway { base in
                let url = base + "/bytes/1000"
                let sums = try folder.file(
                    "sums",
                    "\(ContentDigest.of(try await bytes(url), .sha256).hexadecimal)  one\n"
                )
                let add = try await Tool.run(
                    ["queue", "add", "-i", "-", "--into", files.path, "--checksums", sums],
                    input: Data("\(url) one\n".utf8),
                    environment: state
                )
                #expect(add.status == 0, "\(add.errors)")
                let watch = try await Tool.run(["queue", "watch", "--limit-rate", "10M"], environment: state)
                #expect(watch.status == 0, "\(watch.errors)")
                #expect(try files.names == ["one"])
                let remote = try await Tool.run(
                    ["queue", "add", url, "--checksums", base + "/files/sums"],
                    environment: state
                )
                #expect(remote.status == 2)
                #expect(remote.errors.contains("download it first: sallyport get \(base)/files/sums -o sums"))
            }
        }
    }
}
