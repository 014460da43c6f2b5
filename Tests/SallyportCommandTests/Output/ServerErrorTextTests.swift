import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct ServerErrorTextTests {
    @Test(
        arguments: [
            (#"{"title":"Bad","detail":"The name is missing."}"#, "application/problem+json", "The name is missing."),
            (#"{"error":"invalid_grant","error_description":"expired"}"#, "application/json", "expired"),
            (#"{"error":{"code":7,"message":"no such user"}}"#, "application/json", "no such user"),
            (#"{"errors":[{"message":"first"},{"message":"second"}]}"#, "application/json", "first"),
            (#"{"error":"gone"}"#, "application/json; charset=utf-8", "gone"),
            (#"{"id":1}"#, "application/json", nil),
            ("{", "application/json", nil),
            ("<html><head><TITLE>502 Bad\n Gateway</TITLE></head></html>", "text/html", "502 Bad Gateway"),
            ("  out of\r\n order ", "text/plain", "out of order"),
            ("bell \u{7}", "text/plain", "bell \\u{7}"),
            ("", "text/plain", nil),
            ("a=b", "image/png", nil),
        ] as [(String, String, String?)]
    )
    func `The message is taken from the usual members, the title or the text`(
        body: String,
        type: String,
        message: String?
    ) {
        #expect(ServerErrorText.text(in: Data(body.utf8), contentType: type) == message)
    }

    @Test func `A long message is truncated`() throws {
        let long = Data(String(repeating: "a", count: 5_000).utf8)
        #expect(ServerErrorText.text(in: long, contentType: "text/plain")?.count == 301)
    }
}
