import SallyportTransfers
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct ChecksumListTests {
    private static let one = String(repeating: "01", count: 32)
    private static let two = String(repeating: "02", count: 64)
    private static let weak = String(repeating: "03", count: 16)

    private static let text = """
        -----BEGIN PGP SIGNED MESSAGE-----
        # comment
        \(one)  a.zip
        \(one) *binary.iso
        \(one) plain
        \(one)  ./images/netboot/mini.iso
        SHA512 (b (1).zip) = \(two)
        \(weak)  weak.zip
        """

    @Test(
        arguments: [
            (nil, "https://example.com/a.zip", "sha-256", one),
            (nil, "https://example.com/a.zip?x=b.zip", "sha-256", one),
            (nil, "https://example.com/x/binary.iso", "sha-256", one),
            (nil, "https://example.com/plain", "sha-256", one),
            (nil, "https://example.com/dist/images/netboot/mini.iso", "sha-256", one),
            ("b (1).zip", "https://example.com/get?id=2", "sha-512", two),
            ("sub/a.zip", "https://example.com/get", "sha-256", one),
            (nil, "https://example.com/b%20(1).zip", "sha-512", two),
        ] as [(String?, String, String, String)]
    )
    func `A digest is found by the name of the file or the end of the URL's path`(
        path: String?,
        url: String,
        algorithm: String,
        hexadecimal: String
    ) throws {
        let list = try ChecksumList(Self.text, named: "SHA256SUMS")
        let digest = try list.digest(of: path, at: url)
        #expect(digest.algorithm.rawValue == algorithm)
        #expect(digest.hexadecimal == hexadecimal)
    }

    @Test(
        arguments: [
            ("https://example.com/c.zip", "has no digest of c.zip; it has a.zip, b (1).zip, binary.iso and 2 more"),
            ("https://example.com/mini.iso", "has no digest of mini.iso"),
            ("https://example.com/weak.zip", "has a digest of weak.zip that is not SHA-256 or SHA-512"),
        ]
    )
    func `A file without a digest is named`(url: String, words: String) throws {
        let list = try ChecksumList(Self.text, named: "SHA256SUMS")
        let failure = #expect(throws: CommandFailure.self) { try list.digest(of: nil, at: url) }
        #expect(failure?.status == .usage)
        #expect(
            failure?.message.hasPrefix("the checksum file SHA256SUMS \(words)") == true,
            "\(failure?.message ?? "")"
        )
    }

    @Test(arguments: ["", "<html>404 Not Found</html>", "\(weak)  a.zip\n"])
    func `A file without digests is refused`(text: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try ChecksumList(text, named: "sums") }
        #expect(failure?.message.hasPrefix("the checksum file sums has no SHA-256 or SHA-512 digests") == true)
    }
}
