import Foundation
import Sallyport
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ServerMessageTests {
    private func message(_ body: String, _ type: String?, removing secrets: [String] = []) -> String? {
        let masker = SecretMasker(sentBy: HttpRequest(), and: secrets)
        return ServerMessage(in: Data(body.utf8), contentType: type, masking: masker).message
    }

    @Test(
        arguments: [
            (#"{"title":"Bad","detail":"The name is missing."}"#, "application/problem+json", "The name is missing."),
            (#"{"error":"invalid_grant","error_description":"expired"}"#, "application/json", "expired"),
            (#"{"error":{"code":7,"message":"no such user"}}"#, "application/json", "no such user"),
            (#"{"errors":[{"message":"first"},{"message":"second"}]}"#, "application/json", "first"),
            (#"{"error":"gone"}"#, "application/json; charset=utf-8", "gone"),
            (#"{"error":null,"message":"","reason":"no"}"#, "application/json", "no"),
            ("\u{FEFF}{\"message\":\"marked\"}", "application/json", "marked"),
            (#"{"id":1}"#, "application/json", nil),
            ("{", "application/json", nil),
            (#"{"message":"as text"}"#, "text/plain", "as text"),
            (#"{"message":"without a type"}"#, nil, "without a type"),
            ("Bad Gateway", "application/json", "Bad Gateway"),
            (
                "error=denied&error_description=no", "application/x-www-form-urlencoded",
                "error=denied&error_description=no"
            ),
            ("<html><head><TITLE>502 Bad\n Gateway</TITLE></head></html>", "text/html", "502 Bad Gateway"),
            ("<title lang=\"en\">It&#39;s &lt;gone&gt;</title>", "application/json", "It's <gone>"),
            (
                "<html><h1>Bad Request</h1><p>redirect_uri is not registered</p></html>", "text/html",
                "Bad Request redirect_uri is not registered"
            ),
            (
                "<title></title><!-- <b> --><style>a {}</style><SCRIPT>b()</SCRIPT><p>Down &amp; out", "text/html",
                "Down & out"
            ),
            ("<script>never ends", "text/html", nil), ("<", "text/html", nil), ("<error>x</error>", "text/xml", nil),
            ("  out of\r\n order ", "text/plain", "out of order"),
            ("bell \u{7}", "text/plain", "bell \\u{7}"),
            ("", "text/plain", nil),
            ("a=b", "image/png", nil), ("\u{0}\u{1}", nil, nil),
        ] as [(String, String?, String?)]
    )
    func `The message is taken from the usual members, the title or the text`(
        body: String,
        type: String?,
        message: String?
    ) {
        #expect(self.message(body, type) == message)
    }

    @Test func `A long message is truncated`() {
        #expect(message(String(repeating: "a", count: 5_000), "text/plain")?.count == 301)
        #expect(message(String(repeating: "<title", count: 20_000), "text/html") == nil)
        #expect(message(String(repeating: "a", count: ServerMessage.maximumBodySize + 1), "text/plain") == nil)
    }

    @Test(arguments: [
        (#"{"message":"Unknown token canary-1."}"#, "application/json"), ("<title>canary-1</title>", "text/html"),
        ("<p>canary-1</p>", "text/html"), ("canary-1", "text/plain"),
        (#"{"message":"https://a.example/?access_token=canary-2"}"#, "application/json"),
        ("password = canary-3", "text/plain"), (#"{"access_token":"canary-4","message":"No."}"#, "application/json"),
        ("<input type=\"hidden\" value=\"canary-5\">No", "text/html"),
    ])
    func `A message contains no secret that was sent or that has the name of one`(body: String, type: String) {
        let message = message(body, type, removing: ["canary-1"])
        #expect(message?.isEmpty == false && message?.contains("canary") == false, "\(message ?? "nil")")
    }

    @Test func `The members of an API are searched first, and a code is not repeated as the message`() {
        let names = ServerMessage.Names(object: "status", message: "text", code: "number")
        let body = Data(#"{"status":{"text":"No.","number":4},"message":"other","error":"x"}"#.utf8)
        let masker = SecretMasker(style: .display)
        let message = ServerMessage(in: body, contentType: "application/json", names: names, masking: masker)
        #expect(message.message == "No." && message.code == "4")
        let error = Data(#"{"error":"x"}"#.utf8)
        let single = ServerMessage(in: error, contentType: "application/json", names: names, masking: masker)
        #expect(single.message == "x" && single.code == nil)
    }
}
