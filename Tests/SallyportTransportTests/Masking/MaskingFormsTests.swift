import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.busy) struct MaskingFormsTests {
    private func masked(_ text: String, _ type: String?, _ style: SecretMasker.Style) -> String? {
        var masker = SecretMasker(style: style)
        return masker.body(Data(text.utf8), type: type).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let key = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIC4naryC4naryC4naryC4naryC4naryC4naryC4nary
        -----END EC PRIVATE KEY-----
        """

    @Test(arguments: [
        ("text/plain", "before\n\(key)\nafter"), ("application/x-pem-file", key),
        ("application/json", #"{"pem": "\#(key.replacing("\n", with: "\\n"))"}"#),
        ("application/json", #"{"kty": "EC", "crv": "P-256", "x": "public", "d": "C4nary"}"#),
        ("application/json", #"{"keys": [{"kty": "RSA", "n": "a", "p": "C4nary", "q": "C4nary", "dp": "C4nary"}]}"#),
        ("application/json", #"{"kty": "oct", "k": "C4nary"}"#),
        ("application/json", #"{"tags": [{"Key": "password", "Value": "C4nary1"}]}"#),
        ("application/json", #"{"a": "\"password\":\"C4nary\""}"#),
        ("text/html", "<input type='hidden' name=relay value=C4nary>"),
        ("text/html", "<input value='C4nary' type=PASSWORD>"),
        ("text/html", "<a href=\"https://a.example/?x=1&amp;token=C4nary\">a</a>"),
        ("text/html", "<div data-csrf-token=\"C4nary\">"),
        ("application/xml", "<token><token>a</token>C4nary</token>"),
        ("application/xml", "<dict><key>password</key><value>C4nary</value></dict>"),
        ("text/plain", "login failed, token=C4nary, user=ada"), ("text/plain", "https://ada:C4nary@a.example/"),
        ("text/plain", "curl -H 'Authorization: Bearer C4nary'"),
        ("text/plain", "curl -H \"Authorization: Basic C4naryYWxpY2U6c2VjcmV0MTI=\""),
        ("text/plain", "https://a.example/?maxmind_api_key=C4nary"),
        ("text/plain", "Digest username=\"ada\", response=\"C4nary\""),
        ("text/plain", "otpauth://totp/a?secret=C4nary"), ("text/plain", "a eyJhbGciOiJub25lIn0.C4nary.x b"),
        ("text/plain", "/redirect/https%253A%252F%252Fa%253Ftoken%253DC4nary"),
        ("application/x-www-form-urlencoded", "next=https%253A%252F%252Fx%252Fcb%253Ftoken%253DC4nary"),
        ("application/x-www-form-urlencoded", "broken=%ZZ%FFtoken%3DC4nary"),
    ])
    func `A secret is masked in each place`(type: String, text: String) {
        for style in [SecretMasker.Style.display, .replayable] {
            let masked = masked(text, type, style) ?? "C4nary"
            #expect(!masked.contains("C4nary"), "\(masked)")
            #expect(masked.contains("***"))
        }
    }

    @Test(arguments: [
        ("application/json", #"{"code":17,"max_tokens":100,"message":"Bearer token missing"}"#),
        ("application/json", #"{"code":"user_not_found","error":{"code":404,"key":"name"}}"#),
        ("application/json", #"{"crv":"P-256","kty":"EC","x":"public","y":"public"}"#),
        ("application/json", #"{"grant_types_supported":["password","refresh_token","x0123456789abcdef"]}"#),
        ("application/json", #"{"d":"day","k":"a"}"#), ("application/json", #"{"password":null,"session":true}"#),
        ("text/plain", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"),
        ("text/html", "<input type=text name=user value=ada><textarea name=note>hi</textarea><code>17</code>"),
        ("text/csv", "id,name\n1,ada\n"), ("text/plain", "The session has expired: sign in again, 1 + 1 = 2"),
        ("application/xml", "<error><code>17</code><key>name</key></error>"),
    ])
    func `What is no secret is shown`(type: String, text: String) {
        #expect(masked(text, type, .display) == text)
        #expect(masked(text, type, .replayable) == text)
    }

    @Test(
        arguments: [
            (#"Bearer realm="a", error="invalid_token", error_description="The token expired""#, nil),
            (#"Digest realm="a", nonce="0123456789abcdef", opaque="x", qop="auth""#, nil),
            (#"DPoP algs="ES256", Basic realm="b""#, nil), ("Negotiate", nil),
            ("Negotiate YIIC4naryAAAA==", "Negotiate ***"),
            (
                #"Bearer resource_metadata="https://a.example/?token=C4nary1""#,
                #"Bearer resource_metadata="https://a.example/?token=***""#
            ),
        ] as [(String, String?)]
    )
    func `A challenge is shown apart from its credentials`(value: String, masked: String?) {
        for style in [SecretMasker.Style.display, .replayable] {
            var masker = SecretMasker(style: style)
            let shown = masker.value(of: HTTPField(name: .wwwAuthenticate, value: value))
            #expect(shown == masked ?? value)
        }
    }

    @Test(arguments: [
        ("application/json; charset=utf-16le", String.Encoding.utf16LittleEndian, [UInt8]()),
        ("application/json", .utf16BigEndian, [0xFE, 0xFF]), ("application/json", .utf16LittleEndian, []),
        ("application/json", .utf16BigEndian, []),
    ])
    func `A body in UTF-16 is masked, and keeps its encoding in a recording`(
        type: String,
        encoding: String.Encoding,
        mark: [UInt8]
    ) throws {
        let body = Data(mark) + (try #require(#"{"password": "C4nary", "z": "é"}"#.data(using: encoding)))
        var display = SecretMasker(style: .display)
        let shown = display.body(body, type: type)
        #expect(shown.map { String(decoding: $0, as: UTF8.self) } == #"{"password":"***","z":"é"}"#)
        var recording = SecretMasker(style: .replayable)
        let stored = recording.body(body, type: type)
        #expect(stored == Data(mark) + #"{"password": "***", "z": "é"}"#.data(using: encoding)!)
    }

    @Test func `A secret that the client sent is masked wherever it reappears, in any encoding`() {
        for secret in ["s3cret/pass \"word\"", "horsestaple", "12345678"] {
            var masker = SecretMasker(style: .display)
            masker.isSent = true
            _ = masker.body(
                Data("user=ada&password=\(PercentEncoding.form(secret))".utf8),
                type: "application/x-www-form-urlencoded"
            )
            masker.isSent = false
            let query = PercentEncoding.query(secret)
            let json = secret.replacing("\"", with: "\\\"")
            let html = secret.replacing("\"", with: "&quot;")
            for text in [secret, query, query.lowercased(), PercentEncoding.form(secret), json, html] {
                #expect(masker.masked("You sent \(text).") == "You sent ***.")
            }
        }
        var masker = SecretMasker(style: .display)
        masker.isSent = true
        _ = masker.value(
            of: HTTPField(name: .authorization, value: "Basic \(Data("ada:horsestaple".utf8).base64EncodedString())")
        )
        #expect(masker.masked("horsestaple \(Data("ada:horsestaple".utf8).base64EncodedString())") == "*** ***")
    }

    @Test func `The parts of credentials and the lines of keys that the client sent are masked where they reappear`() {
        var masker = SecretMasker(style: .display)
        let digest = #"Digest username="ada", realm="r", nonce="n", response="0123456789abcdef", qop=auth"#
        let signature = "AWS4-HMAC-SHA256 Credential=AKID7788/eu, SignedHeaders=host, Signature=f00dfeed77"
        masker.collectSent(
            url: "https://a.example/?page=public-7&token=pass%2Fword7",
            fields: [.authorization: digest, .proxyAuthorization: signature],
            body: Data(#"{"pem": "\#(Self.key.replacing("\n", with: "\\n"))", "page": "public-8"}"#.utf8)
        )
        for secret in [
            "0123456789abcdef", "AKID7788/eu", "f00dfeed77", "pass/word7", "pass%2fword7", "cGFzcy93b3JkNw",
            "MHcCAQEEIC4naryC4naryC4naryC4naryC4naryC4naryC4nary",
        ] {
            #expect(masker.masked("You sent \(secret) to r.") == "You sent *** to r.")
        }
        let shown = "ada auth host public-7 public-8 https://a.example/"
        #expect(masker.masked(shown) == shown)
    }

    @Test func `A key that is the user of Basic authentication, and a password in its form encoding, are masked`() {
        var masker = SecretMasker(style: .display)
        let fields: HTTPFields = [
            .authorization: "Basic \(Data("sk_live_51Habcdef:".utf8).base64EncodedString())",
            .proxyAuthorization: "Basic \(Data("client:pass%2Fword7".utf8).base64EncodedString())",
        ]
        masker.collectSent(url: "https://a.example/", fields: fields, body: nil)
        #expect(masker.masked("no key sk_live_51Habcdef of client") == "no key *** of client")
        #expect(masker.masked("not pass/word7") == "not ***")
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/settings", "Cookie: back=http%3A%2F%2F127.0.0.1%3A1%2Fsettings"),
        ("http://127.0.0.1:1/products?key=products", "Accept: */*"), ("http://127.0.0.1:1/", "X-Api-Key: 127.0.0.1"),
    ])
    func `The server of a request, and words that only resemble secrets, are not masked where they reappear`(
        url: String,
        field: String
    ) throws {
        let parts = field.split(separator: ": ").map(String.init)
        let name = try #require(HTTPField.Name(parts[0]))
        var masker = SecretMasker(style: .display)
        masker.collectSent(url: url, fields: [name: parts[1]], body: nil)
        let text = "GET \(url.prefix { $0 != "?" }): no connection to 127.0.0.1 on port 1"
        #expect(masker.masked(text) == text)
    }

    @Test func `A body in many nested forms is masked or remains as it is`() {
        let parts = (0..<500).map { "Content-Type:multipart/x;boundary=b\($0 + 1)\r\n\r\n--b\($0 + 1)\r\n" }
        let text = "--b0\r\n" + parts.joined() + "\r\ntext\r\n"
        #expect(masked(text, "multipart/x; boundary=b0", .replayable) != nil)
    }

    @Test func `A recorded body whose mask has characters that its encoding lacks is not lost`() {
        var masker = SecretMasker(style: .replayable)
        let body = Data(#"{"m": "50 \u20ac token=C4naryabcdefgh1"}"#.utf8)
        let masked = masker.body(body, type: "application/json; charset=iso-8859-1") ?? Data()
        #expect(String(decoding: masked, as: UTF8.self).contains("token=***"))
    }

    @Test func `A header with a secret in JSON contains a secret`() throws {
        let name = try #require(HTTPField.Name("X-Context"))
        #expect(Redaction.containsSecret(HTTPField(name: name, value: #"{"apiKey":"hunter2-77"}"#)))
        #expect(!Redaction.containsSecret(HTTPField(name: name, value: #"{"page":"7"}"#)))
    }

    @Test(arguments: [
        "password=short", "password=password", "page=12345678", "user=adalovelace", "token=connection",
        "secret=localhost",
    ])
    func `Short secrets, common words and what is no secret are not searched for`(form: String) {
        var masker = SecretMasker(style: .display)
        masker.isSent = true
        _ = masker.body(Data(form.utf8), type: "application/x-www-form-urlencoded")
        let text = "short password 12345678 adalovelace: the server at localhost closed the connection"
        #expect(masker.masked(text) == text)
    }

    @Test(arguments: [
        "%25", "a=%2525", "=\"", "\":\"", "{", "[\"", "<a ", "<a b=\"", "<password>", "</", "&a=b;",
        "-----BEGIN PRIVATE KEY-----", "eyJ",
        "eyJ.", "//", "//a@", "bearer ", "password: ", "token=", "\\\"", "password=\\\"", "otp:1", "\u{FF}", "a,",
        "\n- ", "'''", "auth", "a=1,", "?a=1", "code=a,", "token=1,", "<token ",
    ])
    func `A hostile text is masked in linear time`(repeated: String) {
        let text = String(repeating: repeated, count: 4096 / repeated.utf8.count)
        for type in ["text/html", "text/csv", "application/yaml", "application/x-www-form-urlencoded"] {
            // With quadratic time, these searches would take minutes.
            #expect(masked(text, type, .replayable) != nil)
        }
    }
}
