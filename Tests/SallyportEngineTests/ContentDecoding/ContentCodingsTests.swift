import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite("The codings that are known", .concurrencyLimited)
struct ContentCodingsTests {
    @Test(
        "The name of a coding is read in any case",
        arguments: ["gzip", "GZip", "x-gzip", "X-GZIP", "deflate", "Deflate", " x-mask\t", "X-MASK", "identity, gzip"]
    )
    func knownCodings(field: String) throws {
        #expect(try ContentCodings(adding: [.mask]).applied(in: field).count == 1)
    }

    @Test(
        "Nothing is taken off a body of which one coding is not known",
        arguments: ["identity", "br", "zstd", "compress", "gzip, br", "br, gzip", "", ",", "gzip deflate"]
    )
    func unknownCodings(field: String) throws {
        #expect(try ContentCodings().applied(in: field).isEmpty)
    }

    @Test("The own codings are asked for first, then those of the app in its order")
    func acceptEncoding() throws {
        #expect(try ContentCodings().acceptEncoding == "gzip, deflate")
        #expect(try ContentCodings(adding: [.veil, .mask]).acceptEncoding == "gzip, deflate, x-veil, X-Mask")
    }

    @Test("Three codings are taken off a body, and four are refused")
    func nesting() throws {
        let codings = try ContentCodings()
        #expect(try codings.applied(in: "gzip, deflate, identity, gzip").map(\.name) == ["gzip", "deflate", "gzip"])
        #expect(throws: ContentDecodingError.tooManyCodings(limit: 3)) {
            try codings.applied(in: "gzip, gzip, gzip, gzip")
        }
    }

    @Test(
        "A coding whose name is taken or no token is refused by name",
        arguments: ["gzip", "X-Gzip", "Deflate", "identity", "*", "", "a b", "a,b", "br\r\nX-Injected: 1", "x-veil"]
    )
    func invalidNames(name: String) {
        let coding = ContentCoding(name: name) { MaskDecoder(key: 1) }
        let error = #expect(throws: NetworkError.self) { try ContentCodings(adding: [.veil, coding]) }
        guard case .invalidRequest(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.reason.contains("the content coding \(name.debugDescription) is"))
    }
}
