import Foundation
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct BodyRedactionTests {
    private func masked(_ text: String, _ type: String?) -> String? {
        Redaction.body(Data(text.utf8), contentType: type)
    }

    @Test(arguments: [
        ("application/json", #"{"b":1,"access_token":"s3cret"}"#, #"{"access_token":"***","b":1}"#),
        ("application/problem+json; charset=utf-8", #"{"title":"no"}"#, #"{"title":"no"}"#),
        ("application/x-www-form-urlencoded", "user=ada&password=s3cret", "user=ada&password=***"),
        ("text/plain", "hello\nCookie: sid=s3cret\ntoken=s3cret", "hello\nCookie: ***\ntoken=***"),
        (
            "text/event-stream", "event: a\ndata: {\"password\":\"s3cret\"}\n",
            "event: a\ndata: {\"password\":\"***\"}\n"
        ),
        ("application/x-ndjson", "{\"pin\":\"s3cret\"}\n{\"a\":1}\n", "{\"pin\":\"***\"}\n{\"a\":1}\n"),
        (
            "application/xml", "<u xmlns:a=\"x\"><a:password>s3cret</a:password><name token='s3cret'>Ada</name></u>",
            "<u xmlns:a=\"x\"><a:password>***</a:password><name token='***'>Ada</name></u>"
        ),
        (
            "text/html; charset=utf-8",
            "<INPUT type=hidden name=relay value=\"s3cret\"><input name='SAMLResponse' value=s3cret><code>x</code>",
            "<INPUT type=hidden name=relay value=\"***\"><input name='SAMLResponse' value=\"***\"><code>x</code>"
        ),
        (
            "text/xml", "<a><password><![CDATA[s3<cret]]></password><pin>1 > s3cret</pin><pin/><pin></pin></a>",
            "<a><password>***</password><pin>***</pin><pin/><pin></pin></a>"
        ),
        (
            "application/soap+xml", "<Credentials><Name>ada</Name><Value>s3cret</Value></Credentials>",
            "<Credentials>***</Credentials>"
        ),
        (
            "application/toml", "user = \"ada\"\npassword = \"s3\\\"cret\"\n",
            "user = \"ada\"\npassword = \"***\"\n"
        ),
        (
            "application/javascript", "login({\"clientSecret\":\"s3cret\", pin: 's3cret', user: 'ada'})",
            "login({\"clientSecret\":\"***\", pin: '***', user: 'ada'})"
        ),
        (
            "text/html", "<script>let x = {password: \"s3cret\"}</script>",
            "<script>let x = {password: \"***\"}</script>"
        ),
        ("text/html", "<input type=\"hidden\"value=\"s3cret\"\n", "<input type=\"hidden\"value=\"***\"\n"),
        (
            "application/xml", "<p><entry key=\"password\">s3cret</entry><entry name='a'>Ada</entry></p>",
            "<p><entry key=\"password\">***</entry><entry name='a'>Ada</entry></p>"
        ),
        (
            "text/xml", "<c><property name=\"password\" value=\"s3cret\"/><add Value='s3cret' name='token'/></c>",
            "<c><property name=\"password\" value=\"***\"/><add Value=\"***\" name='token'/></c>"
        ),
        (
            "text/xml", "<operation name=\"GetToken\"><input/></operation>",
            "<operation name=\"GetToken\"><input/></operation>"
        ),
        (
            "application/xml",
            "<plist><dict><key>password</key><string>s3cret</string><key>user</key><string>Ada</string></dict></plist>",
            "<plist><dict><key>password</key><string>***</string><key>user</key><string>Ada</string></dict></plist>"
        ),
        (
            "text/plain", "[db]\nuser = ada\npassword = s3cret\n; api_key = s3cret\nif token = 1\n",
            "[db]\nuser = ada\npassword = ***\n; api_key = ***\nif token = 1\n"
        ),
        (
            "application/yaml",
            "users:\n  - password: s3cret\n    name: ada\npins:\n  - 1\npasswords:\n  - s3cret\n  - s3cret\n",
            "users:\n  - password: ***\n    name: ada\npins:\n  - 1\npasswords:\n  - ***\n  - ***\n"
        ),
        (
            "application/x-yaml", "tokens:\n- s3cret\nsecret: |\n  s3cret\n\n  s3cret\nuser: ada\n",
            "tokens:\n- ***\nsecret: ***\n  ***\n\n  ***\nuser: ada\n"
        ),
        (
            "application/toml", "password = \"\"\"\ns3cret\n\"s3cret\"\"\"\"\nuser = \"ada\"\n",
            "password = \"\"\"***\"\"\"\"\nuser = \"ada\"\n"
        ),
    ])
    func `Text is masked by its type`(type: String, text: String, expected: String) {
        #expect(masked(text, type) == expected)
    }

    @Test(arguments: ["image/png", "application/octet-stream", "multipart/form-data; boundary=x", "application/jwt"])
    func `Other bodies cannot be searched`(type: String) {
        #expect(masked("secret", type) == nil)
    }

    @Test func `A body without a type is searched if it is JSON, and invalid JSON cannot be searched`() {
        #expect(masked(#"{"otp":"1"}"#, nil) == #"{"otp":"***"}"#)
        #expect(masked("secret", nil) == nil)
        #expect(masked("{", "application/json") == nil)
        #expect(masked("", "image/png") == "")
    }

    @Test(arguments: [
        ("<a>", "0123456789abcdef"), ("<", "0123456789abcdef"), ("", "<input "), ("<input ", "attribute"), ("", "=\""),
        ("", "eyJ"), ("<a ", "key=\""), ("<plist>", "<key>"), ("password = ", "\"\"\""), ("<a name='pin'>", "<pin> "),
    ])
    func `The search for secrets in a long text takes linear time`(start: String, repeated: String) {
        let text = start + String(repeating: repeated, count: 16_384 / repeated.count) + ">"
        for type in ["text/xml", "text/html", "text/plain"] {
            // With quadratic time, these searches would take minutes.
            #expect(masked(text, type) != nil)
        }
    }

    @Test func `The beginning of a body ends at its last complete line`() {
        var masker = SecretMasker(style: .display)
        let start = Data("a=1\ntoken=s3cret\neyJhbGciOi.s3cr".utf8)
        #expect(Redaction.bodyStart(start, contentType: "text/plain", &masker) == "a=1\ntoken=***\n")
        #expect(Redaction.bodyStart(Data("{\n".utf8), contentType: "application/json", &masker) == nil)
        #expect(Redaction.bodyStart(Data("one line".utf8), contentType: "text/plain", &masker) == nil)
    }
}
