import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct QRCodeTextTests {
    private func drawn(_ columns: Int? = nil, _ environment: [String: String] = [:]) -> String? {
        QRCodeText.make("https://example.com/device", columns: columns, environment: environment)
    }

    @Test func `A line contains two rows of modules, with a quiet zone of four modules`() throws {
        let code = try #require(QRCode("https://example.com/device"))
        let lines = QRCodeText(code, isColored: false).lines
        #expect(code.size == 25)
        #expect(lines.count == 17)
        #expect(lines.allSatisfy { $0.count == 33 })
        #expect(lines[0] == String(repeating: "█", count: 33))
        #expect(lines[2].hasPrefix("████ ▄▄▄▄▄ █"))
        #expect(lines[16] == String(repeating: "█", count: 33))
    }

    @Test func `Black and white are set independently of the terminal's colors`() throws {
        let lines = try #require(drawn()).split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") && $0.hasSuffix("\u{1B}[0m") })
        #expect(lines[2].contains("m    █▀▀▀▀▀█ "))
    }

    @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
    func `Without colors, only characters are written`(environment: [String: String]) throws {
        let text = try #require(drawn(nil, environment))
        #expect(text.allSatisfy { "█▀▄ \n".contains($0) })
    }

    @Test func `No QR code is drawn on a terminal that is too narrow`() {
        #expect(drawn(33) != nil)
        #expect(drawn(32) == nil)
    }
}
