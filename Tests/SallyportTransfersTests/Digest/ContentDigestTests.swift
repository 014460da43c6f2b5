import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct ContentDigestTests {
    private let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

    @Test func `A digest is parsed from hexadecimal, base64 and structured field values`() throws {
        let digest = try ContentDigest("sha-256=\(hello)")
        #expect(digest == ContentDigest.of(Data("hello".utf8), .sha256))
        #expect(try ContentDigest("SHA256=\(hello.uppercased())") == digest)
        #expect(try ContentDigest(" sha-256=LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ= ") == digest)
        #expect(try ContentDigest(digest.description) == digest)
        #expect(digest.hexadecimal == hello)
        let long = ContentDigest.of(Data("hello".utf8), .sha512)
        #expect(try ContentDigest("sha512=\(long.hexadecimal)") == long)
        #expect(try ContentDigest(long.description) == long)
    }

    @Test(arguments: [
        ("", "does not begin with sha-256= or sha-512="), ("typo", "does not begin with"),
        ("sha-256", "does not begin with"), ("md5=5d41402abc4b2a76b9719d911017c592", "does not begin with"),
        ("sha-256=", "has 0 bytes, but sha-256 has 32"), ("sha-256=00", "has 1 bytes, but sha-256 has 32"),
        ("sha-256=zz", "has bytes that are neither hexadecimal nor base64"),
        (
            "sha-512=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
            "has 32 bytes, but sha-512 has 64"
        ),
    ])
    func `Text that is not a digest is refused with a specific error`(text: String, problem: String) {
        let error = #expect(throws: NetworkError.self) { try ContentDigest(text) }
        let message = error?.description ?? ""
        #expect(message.contains("the digest \"\(text)\" \(problem)"), "\(message)")
    }

    /// The examples of RFC 9530, appendix B.
    @Test func `The digest fields of RFC 9530 are parsed`() throws {
        let json = Data("{\"hello\": \"world\"}\n".utf8)
        let sha256 = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
        #expect(ContentDigest.parse(field: sha256) == [ContentDigest.of(json, .sha256)])
        let sha512 = """
            sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCs\
            yRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:
            """
        #expect(ContentDigest.parse(field: sha512) == [ContentDigest.of(json, .sha512)])
        #expect(ContentDigest.parse(field: "\(sha512), \(sha256)").map(\.algorithm) == [.sha256, .sha512])
    }

    @Test(arguments: [
        ("", 0), ("sha-256", 0), ("md5=:1B2M2Y8AsgTpgAmY7PhCfg==:", 0), ("sha=:AAAA:", 0),
        ("sha-256=RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=", 0), ("sha-256=:AAAA:", 0), ("sha-256=:", 0),
        ("unixsum=30637, sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:", 1),
        ("sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:;a=1", 1),
        ("sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:, sha-256=1", 0),
        ("SHA-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:", 0),
    ])
    func `Only supported algorithms with valid values are parsed from a field`(field: String, count: Int) {
        #expect(ContentDigest.parse(field: field).count == count)
    }
}
