import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ContentCodingsTests {
    @Test(arguments: [
        "gzip", "GZip", "x-gzip", "X-GZIP", "deflate", "Deflate", " x-mask\t", "X-MASK", "identity, gzip",
    ]
    )
    func `The names of codings are case-insensitive`(field: String) throws {
        #expect(try ContentCodings(adding: [.mask]).applied(in: field, passesUnsupported: true).count == 1)
    }

    @Test(arguments: ["identity", "Identity, identity", "", ",", " "])
    func `A body without a coding has no decoder`(field: String) throws {
        #expect(try ContentCodings().applied(in: field, passesUnsupported: false).isEmpty)
    }

    @Test(arguments: [
        ("br", "br"), ("ZSTD", "zstd"), ("compress", "compress"), ("gzip, br", "br"), ("br, gzip", "br"),
        ("X-Compress", "x-compress"), ("aes128gcm", "aes128gcm"), ("identity, exi", "exi"),
    ])
    func `An unsupported coding fails at the first byte, or is passed through`(
        field: String,
        name: String
    ) throws {
        let codings = try ContentCodings().applied(in: field, passesUnsupported: false)
        let coding = try #require(codings.first { $0.name != "gzip" })
        #expect(coding.name == name)
        var decoder = coding.makeDecoder()
        var bytes: ArraySlice<UInt8> = []
        #expect(try decoder.decode(&bytes, upTo: 1).isEmpty)
        bytes = [1]
        #expect(throws: ContentDecodingError.unsupportedCoding) { try decoder.decode(&bytes, upTo: 1) }
        #expect(try ContentCodings().applied(in: field, passesUnsupported: true).isEmpty)
    }

    @Test(arguments: [
        "none", "UTF-8", "aws-chunked", "binary", "utf8, gzip", "gzip, aws-chunked", "gzip deflate", "x-mask",
        "br, x-own",
        "a,b,c,d,e",
    ])
    func `A body with a label that is not the name of a coding has no decoder`(field: String) throws {
        #expect(try ContentCodings().applied(in: field, passesUnsupported: false).isEmpty)
        #expect(try ContentCodings().applied(in: field, passesUnsupported: true).isEmpty)
    }

    @Test
    func `Accept-Encoding lists gzip and deflate first, then the app's codings in order`() throws {
        #expect(try ContentCodings().acceptEncoding == "gzip, deflate")
        #expect(try ContentCodings(adding: [.veil, .mask]).acceptEncoding == "gzip, deflate, x-veil, X-Mask")
    }

    @Test
    func `A body can have three codings, and four are refused`() throws {
        let codings = try ContentCodings()
        let applied = try codings.applied(in: "gzip, deflate, identity, gzip", passesUnsupported: false)
        #expect(applied.map(\.name) == ["gzip", "deflate", "gzip"])
        #expect(throws: ContentDecodingError.tooManyCodings(limit: 3)) {
            try codings.applied(in: "gzip, gzip, gzip, gzip", passesUnsupported: false)
        }
    }

    @Test(arguments: ["gzip", "X-Gzip", "Deflate", "identity", "*", "", "a b", "a,b", "br\r\nX-Injected: 1", "x-veil"]
    )
    func `A coding with a reserved or invalid name is refused`(name: String) {
        let coding = ContentCoding(name: name) { MaskDecoder(key: 1) }
        let error = #expect(throws: NetworkError.self) { try ContentCodings(adding: [.veil, coding]) }
        guard case .invalidRequest(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.reason.contains("the content coding \(name.debugDescription) is"))
    }
}
