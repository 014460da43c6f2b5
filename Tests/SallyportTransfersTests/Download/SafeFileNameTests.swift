import Foundation
import Sallyport
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct SafeFileNameTests {
    private static let names: [(name: String, safe: String)] = [
        ("a.txt", "a.txt"), ("naïve 🎉.tar.gz", "naïve 🎉.tar.gz"), ("a  b", "a  b"), ("Makefile", "Makefile"),
        // Paths.
        ("/etc/passwd", "passwd"), ("../../a.txt", "a.txt"), ("..\\..\\a.txt", "a.txt"), ("C:\\temp\\a.txt", "a.txt"),
        ("a/", "a"), ("a/..", "a"), ("a/.", "a"), ("a/ ", "a"), ("..", "download"), (".", "download"),
        ("...", "download"),
        ("/", "download"), ("\\", "download"), ("../..", "download"), ("a/\u{0}", "download"),
        // Invisible characters, and those that change the direction of text.
        ("a\u{0}b.txt", "ab.txt"), ("a\r\nb\t.txt", "ab.txt"), ("a\u{7F}\u{9F}b", "ab"), ("a\u{2028}\u{2029}b", "ab"),
        ("a\u{202E}gpj.exe", "agpj.exe"), ("\u{2066}a\u{2069}\u{200E}\u{200F}\u{61C}", "a"), ("\u{FEFF}a\u{200B}", "a"),
        ("\u{202E}", "download"), ("👩‍👩‍👧.png", "👩‍👩‍👧.png"),
        // Dots and spaces at the ends.
        (".bashrc", "bashrc"), ("..a", "a"), (" .a", "a"), ("\u{200D}.git", "git"), (".\u{202E}.", "download"),
        ("a.", "a"), ("a. .", "a"), ("a ", "a"), (" ", "download"), ("", "download"), ("\u{A0}a\u{3000}", "a"),
        // Characters and names that Windows forbids.
        ("a:b*c?d\"e<f>g|h", "a_b_c_d_e_f_g_h"), ("con", "_con"), ("NUL.txt", "_NUL.txt"), ("com1", "_com1"),
        ("LPT9.tar.gz", "_LPT9.tar.gz"), ("con .txt", "_con .txt"), ("contact", "contact"), ("com10", "com10"),
        ("comx", "comx"), ("~root", "~root"),
        // Names that a command would parse as an option.
        ("-rf", "_-rf"), ("-", "_-"), ("--", "_--"), ("a/-rf", "_-rf"), ("..-rf", "_-rf"), ("\u{202E}-rf", "_-rf"),
        ("a-b", "a-b"),
    ]

    @Test(arguments: names)
    func `A file name is made safe`(name: String, safe: String) {
        #expect(SafeFileName.make(name) == safe)
    }

    private static let long: [(name: String, safe: String)] = [
        (String(repeating: "a", count: 255), String(repeating: "a", count: 255)),
        (String(repeating: "a", count: 256), String(repeating: "a", count: 255)),
        (String(repeating: "a", count: 300) + ".tar.gz", String(repeating: "a", count: 252) + ".gz"),
        (String(repeating: "é", count: 200) + ".txt", String(repeating: "é", count: 125) + ".txt"),
        ("a" + String(repeating: "🎉", count: 100) + ".txt", "a" + String(repeating: "🎉", count: 62) + ".txt"),
        // A family emoji is 18 bytes, and one character.
        (String(repeating: "👩‍👩‍👧", count: 30), String(repeating: "👩‍👩‍👧", count: 14)),
        // A character with too many combining marks is split between them.
        ("e" + String(repeating: "\u{301}", count: 300), "e" + String(repeating: "\u{301}", count: 127)),
        // Too long for a filename extension.
        ("a." + String(repeating: "b", count: 300), "a." + String(repeating: "b", count: 253)),
        (String(repeating: "a", count: 254) + " b", String(repeating: "a", count: 254)),
        ("con." + String(repeating: "b", count: 300), "_con." + String(repeating: "b", count: 250)),
    ]

    @Test(arguments: long)
    func `A long name is truncated at a character boundary before its extension`(name: String, safe: String) {
        #expect(SafeFileName.make(name) == safe)
    }

    @Test func `A caller can set a smaller length limit`() {
        #expect(SafeFileName.make(String(repeating: "a", count: 300) + ".txt", limit: 100).utf8.count == 100)
    }

    @Test func `The first name that is not empty after being made safe is used`() {
        #expect(SafeFileName.make(nil, "..", "a", "b") == "a")
        #expect(SafeFileName.make(nil, nil) == "download")
    }

    @Test func `A safe name stays in its folder, and making it safe again changes nothing`() {
        var random = SeededGenerator(seed: 6)
        let alphabet = Array("/\\..  ab:\u{0}\n\u{202E}\u{200D}é\u{301}🎉\u{FEFF}conCOM1~%-".unicodeScalars)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...(Int.random(in: 0...9, using: &random) == 0 ? 400 : 12), using: &random)
            var name = String.UnicodeScalarView()
            for _ in 0..<count { name.append(alphabet.randomElement(using: &random)!) }
            let safe = SafeFileName.make(String(name))
            #expect(!safe.isEmpty && safe.utf8.count <= 255 && safe != "." && safe != ".." && !safe.hasPrefix("."))
            #expect(!safe.hasPrefix("-"), "\(safe.debugDescription)")
            let isHarmless = safe.unicodeScalars.allSatisfy { scalar in
                scalar != "/" && scalar != "\\" && scalar.value >= 0x20 && !scalar.properties.isBidiControl
            }
            #expect(isHarmless, "\(safe.debugDescription)")
            let file = URL(fileURLWithPath: "/folder/within").appendingPathComponent(safe).standardizedFileURL
            #expect(file.deletingLastPathComponent().path == "/folder/within")
            #expect(SafeFileName.make(safe) == safe)
        }
    }
}
