import Foundation
import Sallyport
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.zbarimg != nil, "run .ci/real-servers to have zbarimg installed")
)
struct ZbarTests {
    @Test(arguments: QRVersion.numbers)
    func `A QR code of each version is read from the terminal's lines`(number: Int) async throws {
        let letters = "https://login.example.com/device?user_code=WDJB-MJHT&x=" + String(repeating: "Zx9_", count: 300)
        for correction in QRVersion.Correction.allCases {
            let version = QRVersion(number: number, correction: correction)
            let text = String(letters.prefix(version.capacity))
            #expect(try await read(QRCode(bytes: Array(text.utf8), version: version, mask: .crosses)) == text)
        }
    }

    @Test(arguments: QRMask.allCases)
    func `A QR code is read under each mask`(mask: QRMask) async throws {
        let text = "https://example.com/device?user_code=WDJB-MJHT"
        for number in [4, 7, 12] {
            let version = QRVersion(number: number, correction: .medium)
            #expect(try await read(QRCode(bytes: Array(text.utf8), version: version, mask: mask)) == text)
        }
    }

    @Test(arguments: [true, false])
    func `URLs of up to 200 characters are read, with and without colors`(isColored: Bool) async throws {
        let letters = Array("abcdefghijkm-_=&%.0123456789")
        for length in stride(from: 12, through: 200, by: 9) {
            let text = "https://a.b/" + String((12..<length).map { letters[($0 * $0 + length) % letters.count] })
            let code = try #require(QRCode(text))
            #expect(try await read(code, isColored: isColored) == text)
        }
    }

    /// Returns the text that zbarimg reads from an image of the lines, with three pixels per module.
    ///
    /// With colors, dark modules are black on white; without, they are white on black.
    private func read(_ code: QRCode, isColored: Bool = true) async throws -> String {
        let scale = 3
        var rows: [[Bool]] = []
        for line in QRCodeText(code, isColored: isColored).lines {
            let glyphs = isColored ? line.drop { $0 != "m" }.dropFirst().prefix { $0 != "\u{1B}" } : line[...]
            rows.append(glyphs.map { ($0 == "█" || $0 == "▀") == isColored })
            rows.append(glyphs.map { ($0 == "█" || $0 == "▄") == isColored })
        }
        var image = Data("P5\n\(rows[0].count * scale) \(rows.count * scale)\n255\n".utf8)
        for row in rows {
            let pixels = row.flatMap { Array(repeating: $0 ? UInt8.min : .max, count: scale) }
            for _ in 0..<scale { image.append(contentsOf: pixels) }
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("sallyport-\(UUID()).pgm")
        try image.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await output(of: RealServer.zbarimg ?? "", ["--raw", "--quiet", "--oneshot", file.path])
    }

    private func output(of program: String, _ arguments: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.start()
        let bytes = await runBlocking { pipe.fileHandleForReading.readDataToEndOfFile() }
        await runBlocking { process.waitUntilExit() }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
