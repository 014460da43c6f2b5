import Foundation
import TestSupport
import Testing

@testable import SallyportJOSE

@Suite(.concurrencyLimited) struct JsonReaderTests {
    @Test func `JSON values of each kind are parsed`() {
        let text =
            #" {"a":[null,true,false,-0,12,-1.5e2,9223372036854775807,1e400],"b":{"c":"\u00e9\ud83d\ude00\n\/\""},"":{}} "#
        #expect(JsonReader.object(Data(text.utf8)) == nil, "a number too large for any type is refused")
        let fine = text.replacing(",1e400", with: ",18446744073709551615")
        #expect(
            JsonReader.object(Data(fine.utf8)) == [
                "a": [nil, true, false, 0, 12, -150.0, .integer(.max), 18446744073709551615.0],
                "b": ["c": "é😀\n/\""],
                "": [:],
            ]
        )
    }

    @Test(arguments: [
        "", " ", "1", "[]", "{", "}", "{]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":01}"#, #"{"a":+1}"#,
        #"{"a":1.}"#,
        #"{"a":.5}"#, #"{"a":1e}"#, #"{"a":-}"#, #"{"a":NaN}"#, #"{"a":tru}"#, #"{"a":"b}"#, #"{"a":"\x"}"#,
        #"{"a":"\u12"}"#,
        #"{"a":"\ud800"}"#, #"{"a":"\udc00"}"#, #"{"a":"\ud800A"}"#, "{\"a\":\"\n\"}", #"{a:1}"#, #"{'a':1}"#,
        #"{"a":1}{"#, #"{"a":1} //"#, #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":1}"#, #"{"a":[1,]}"#, #"{"a":[1 2]}"#,
        #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}", "\u{FEFF}{}",
    ])
    func `Invalid JSON is refused`(_ text: String) {
        #expect(JsonReader.object(Data(text.utf8)) == nil)
    }

    @Test func `Bytes that are not UTF-8 are refused`() {
        #expect(JsonReader.object(Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])) == nil)
    }

    @Test func `Text that is truncated anywhere is refused`() {
        let text = Data(#"{"a":[null,true,-1.5e2],"b":{"c":"\u00e9\ud83d\ude00"}}"#.utf8)
        for length in 0..<text.count { #expect(JsonReader.object(text.prefix(length)) == nil) }
        #expect(JsonReader.object(text) != nil)
    }
}
