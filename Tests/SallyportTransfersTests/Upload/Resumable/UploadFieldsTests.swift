import HTTPTypes
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct UploadFieldsTests {
    @Test(
        arguments: [
            ("0", 0), ("5", 5), (" 7 ", 7), ("12;a=b", 12), ("999999999999999", 999_999_999_999_999), ("", nil),
            ("-1", nil), ("+1", nil), ("1.0", nil), ("0x1", nil), ("1 2", nil), ("?1", nil), ("\"1\"", nil),
            ("1000000000000000", nil), ("1,2", nil),
        ] as [(String, Int64?)]
    )
    func `Only an integer in the valid range is parsed as a number of bytes`(text: String, value: Int64?) {
        #expect(StructuredItem.integer(text) == value)
    }

    @Test func `Only a structured boolean is parsed`() {
        #expect(
            ["?1", "?0", "1", "true", "?2", "", "?1;x"].map(StructuredItem.boolean) == [
                true, false, nil, nil, nil, nil, true,
            ]
        )
    }

    @Test func `Upload limits are parsed, and unknown ones are ignored`() {
        #expect(UploadLimits("max-size=5, x=\"y\", max-append-size=3;a")?.maximumSize == 5)
        #expect(UploadLimits("max-size=5, max-append-size=3")?.maximumAppendSize == 3)
        #expect(UploadLimits("min-size=1")?.maximumSize == nil)
        #expect(UploadLimits("max-size=?1") == nil)
    }

    @Test func `A repeated Upload-Offset is ignored`() {
        var fields: HTTPFields = [.init("Upload-Offset")!: "5", .init("Upload-Complete")!: "?1"]
        #expect(UploadReport(fields).offset == 5)
        #expect(UploadReport(fields).isComplete == true)
        fields.append(HTTPField(name: .init("Upload-Offset")!, value: "6"))
        #expect(UploadReport(fields).offset == nil)
    }

    @Test(
        arguments: [
            ("/u/1", "https://a.example/u/1"), ("u/1", "https://a.example/x/u/1"),
            ("https://a.example/u#x", "https://a.example/u"),
            ("https://A.example:443/u", "https://a.example/u"), ("http://a.example/u", nil),
            ("https://b.example/u", nil),
            ("//b.example/u", nil), ("https://a.example:444/u", nil), ("https://a.example@b.example/u", nil),
            ("https://u:p@a.example/u", nil), ("ftp://a.example/u", nil), ("javascript:1", nil),
        ] as [(String, String?)]
    )
    func `A Location is accepted only within the upload's origin`(location: String, url: String?) {
        #expect((try? UploadResource(location: location, of: "https://a.example/x/y"))?.url == url)
    }
}
