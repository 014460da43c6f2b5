import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct BodyDisplayTests {
    /// Returns what is shown of a body that arrives in chunks; `nil` for binary data.
    private func shown(_ chunks: [Data], _ type: String?) -> Data? {
        var display = BodyDisplay(contentType: type, isTerminal: true, paint: .none)
        var shown = Data()
        for part in chunks.map({ display.add($0) }) + [display.end()] {
            switch part {
            case .nothing: break
            case .text(let data): shown += data
            case .formatted(let text): shown += Data(text.utf8)
            case .binary: return nil
            }
        }
        return shown
    }

    @Test(
        arguments: [
            (Data([0x1F, 0x8B, 8, 0]), "text/plain"), (Data([0xFF, 0xD8, 0xFF, 0xE0]), "image/jpeg"),
            (Data([0xFF, 0xD8, 0xFF, 0xE0]), nil), (Data("{\"a\": \u{0}}".utf8), "application/json"),
            (Data("%PDF-1.7\n".utf8) + [0xE2, 0xE3, 0xCF], "application/pdf"),
        ] as [(Data, String?)]
    )
    func `A null byte, or bytes that are not UTF-8 in a type that is not text, are binary`(data: Data, type: String?) {
        #expect(shown([data], type) == nil)
        #expect(shown([Data("start ".utf8), data], type) == nil)
    }

    @Test func `Text in any encoding, in pieces of characters and of no type is shown`() {
        #expect(shown([Data([0xE4, 0x0A])], "text/html; charset=iso-8859-1") == Data("ä\n".utf8))
        #expect(shown([Data([0xE4, 0x0A])], "text/html; charset=x-unknown") == Data([0xE4, 0x0A]))
        let json = "{\n  \"ä\": \"€\"\n}\n"
        #expect(
            shown(
                [Data("{\"".utf8) + [0xE4] + Data("\":\"".utf8) + [0x80] + Data("\"}".utf8)],
                "application/json; charset=windows-1252"
            ) == Data(json.utf8)
        )
        let umlauts = Data("äöü €".utf8)
        for count in 1..<umlauts.count {
            #expect(shown([umlauts.prefix(count), umlauts.dropFirst(count)], nil) == umlauts)
        }
        #expect(shown([], "application/json") == Data())
    }

    @Test func `A media type is compared without parameters and case`() {
        #expect(MediaTypeName("Application/Vnd.X+JSON; a=b").isJson)
        #expect(MediaTypeName("image/svg+xml").isXml)
        #expect(!MediaTypeName(nil).isText)
    }
}
