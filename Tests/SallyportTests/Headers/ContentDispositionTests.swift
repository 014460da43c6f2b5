import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ContentDispositionTests {
    private static let names: [(header: String, name: String?)] = [
        ("attachment", nil), ("", nil), (";", nil), ("attachment; filename", nil), ("attachment; size=3", nil),
        ("attachment; filename=a.txt", "a.txt"), ("attachment;filename=\"a.txt\"", "a.txt"),
        ("attachment; FILENAME = \"a.txt\"", "a.txt"), ("inline; x=y; filename=\"a b.txt\" ; size=3", "a b.txt"),
        ("filename=a.txt", nil), ("; filename=a.txt", "a.txt"), ("attachment; filename=\"\"", ""),
        // Quoted strings.
        (#"attachment; filename="a\"b\\c.txt""#, #"a"b\c.txt"#), (#"attachment; filename="a;b=c.txt""#, "a;b=c.txt"),
        (#"attachment; filename="a\b""#, "ab"), (#"attachment; filename="open"#, "open"),
        (#"attachment; filename="open\"#, #"open\"#), (#"attachment; filename="a" junk; filename="b""#, "a"),
        (#"attachment; x="; filename=b"; filename=a"#, "a"),
        // Values without the required quotation marks.
        ("attachment; filename=my file.txt ; x=y", "my file.txt"), ("attachment; filename=naïve.txt", "naïve.txt"),
        ("attachment; filename=a%20b.txt", "a%20b.txt"), ("attachment; =x; filename=a", "a"),
        // The first of two parameters with the same name is used.
        ("attachment; filename=a; filename=b", "a"),
        // RFC 8187.
        ("attachment; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt", "naïve €.txt"),
        ("attachment; filename*=utf-8'en'a.txt", "a.txt"), ("attachment; filename*=iso-8859-1''na%EFve", "naïve"),
        ("attachment; filename*=UTF-8''b; filename=a", "b"), ("attachment; filename=a; filename*=UTF-8''b", "b"),
        ("attachment; filename*=\"UTF-8''b\"", "b"), ("attachment; filename*=UTF-8''it's", "it's"),
        ("attachment; filename*=UTF-8''%F0%9F%8E%89", "🎉"),
        // Invalid parameters are ignored.
        ("attachment; filename*=UTF-8''%FF; filename=a", "a"), ("attachment; filename*=UTF-8''%2; filename=a", "a"),
        ("attachment; filename*=UTF-8''%zz; filename=a", "a"), ("attachment; filename*=b; filename=a", "a"),
        ("attachment; filename*=UTF-8''; filename=a", "a"), ("attachment; filename*=UTF-8''", ""),
        ("attachment; filename*=koi8-r''%C1; filename=a", "a"), ("attachment; filename*=UTF-8'b; filename=a", "a"),
    ]

    @Test(arguments: names)
    func `The file name is parsed from the header`(header: String, name: String?) {
        #expect(ContentDisposition(header).filename == name)
    }

    @Test func `The disposition type is case-insensitive`() {
        #expect(ContentDisposition(" ATTACHMENT ; filename=a").type == "attachment")
        #expect(ContentDisposition("").type.isEmpty)
    }

    @Test func `Bytes that are not valid UTF-8 are decoded as ISO-8859-1`() {
        let bytes = Array("attachment; filename=\"na".utf8) + [0xEF] + Array("ve\"".utf8)
        #expect(ContentDisposition(bytes: bytes).filename == "naïve")
    }

    @Test func `The name parsed from random bytes is never longer than its input`() throws {
        var random = SeededGenerator(seed: 6)
        let alphabet = Array("fil name*=\"\\;'%2F\u{FF}\n".utf8)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in alphabet.randomElement(using: &random)!
            }
            let name = ContentDisposition(bytes: Array("a; filename=".utf8) + bytes).filename
            #expect(try #require(name).unicodeScalars.count <= bytes.count)
        }
    }
}
