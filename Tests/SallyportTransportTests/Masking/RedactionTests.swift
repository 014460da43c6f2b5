import Foundation
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RedactionTests {
    @Test(arguments: [
        "token", "access_token", "refresh_token", "id_token", "id_token_hint", "code", "password", "Password", "passwd",
        "secret", "client_secret", "client-secret", "client_assertion", "assertion", "code_verifier", "tokenId",
        "X-Api-Key",
        "apiKey", "authorization", "Proxy-Authorization", "Cookie", "set-cookie", "user_code", "device_code", "otp",
        "jwt",
        "iPlanetDirectoryPro", "DPoP", "sessionId", "X-OpenAM-Password", "IDToken1", "private_key", "SAMLResponse",
        "sig", "suspendedId",
    ])
    func `Names of secrets are recognized`(name: String) {
        #expect(SecretNames.contains(name))
    }

    @Test(arguments: [
        "q", "page", "user", "state", "scope", "client_id", "redirect_uri", "grant_type", "code_challenge",
        "country_code",
        "Content-Type", "Accept", "Location", "WWW-Authenticate", "User-Agent", "keyword", "status", "zip_code",
        "nonce", "Access-Control-Allow-Credentials",
    ])
    func `Other names are not recognized as names of secrets`(name: String) {
        #expect(!SecretNames.contains(name))
    }

    @Test(arguments: [
        ("https://a.example/b?token=x&page=1", "https://a.example/b?token=***&page=1"),
        ("https://u:p@a.example/?a=b", "https://***@a.example/?a=b"),
        ("/cb#access_token=x&state=y", "/cb#access_token=***&state=y"),
        ("access%5Ftoken=x&a=b", "access%5Ftoken=***&a=b"),
        ("a=b&code=", "a=b&code="),
        ("code=a=b&c=d", "code=***&c=d"),
        ("<https://a.example/?token=x&p=2>; rel=\"next\"", "<https://a.example/?token=***&p=2>; rel=\"next\""),
        ("next=%2Fcb%3Fcode%3Dx", "next=***"),
        ("eyJhbGciOiJub25lIn0.e30.", "***"), ("pushauth://push/a:b?s=x&c=y", "***"), ("mfauth://totp/a:b?s=x", "***"),
        ("otpauth://totp/a:b?issuer=c&digits=6", "***"),
        ("PUSHAUTH://push/a:b?s=x", "***"), ("scan pushauth://push/a?s=x", "***"),
        (#"createCode({text: 'pushauth\x3A\x2F\x2Fpush\x2Fa\x3Fs\x3Dx'})"#, "***"),
        ("Basic realm=\"a\"", "Basic realm=\"a\""),
        ("Digest realm=\"a\", nonce=\"b\"", "Digest realm=\"a\", nonce=\"b\""),
        ("Basic YTpi", "Basic ***"),
        ("plain text, 1 + 1 = 2", "plain text, 1 + 1 = 2"),
        ("", ""),
    ])
    func `Secrets in text are masked, and the remaining text is unchanged`(text: String, masked: String) {
        #expect(Redaction.text(text) == masked)
    }

    @Test(arguments: [
        ("https://a.example/b?x=1#y", "https://a.example/b?…"), ("https://a.example/b#y", "https://a.example/b"),
        ("https://u:p@a.example/", "https://***@a.example/"), ("a\nb", #"a\u{A}b"#),
    ])
    func `A shortened URL has no user, query, fragment or control character`(url: String, short: String) {
        #expect(Redaction.shortUrl(url) == short)
    }

    @Test(arguments: [(#"{"a":"k="#, #""}"#), ("k=", ""), (#"["?k="#, #""]"#)])
    func `Deeply nested encodings are masked in bounded time`(start: String, end: String) {
        // Each further value is percent-encoded once more.
        var hidden = "x"
        for _ in 0..<40 { hidden = PercentEncoding.query(start + hidden + end) }
        let begin = ContinuousClock.now
        #expect(Redaction.text("k=\(hidden)&l=1") == "k=***&l=1")
        #expect(ContinuousClock.now - begin < .seconds(5))
    }

    @Test func `Text encoded three times is shown if it contains no secret and masked otherwise`() {
        var (plain, secret) = ("next=/", "code=x")
        for _ in 0..<3 {
            (plain, secret) = ("next=" + PercentEncoding.query(plain), "next=" + PercentEncoding.query(secret))
        }
        #expect(Redaction.text(plain) == plain)
        #expect(Redaction.text(secret) == "next=***")
    }

    @Test func `Bodies that cannot be searched for secrets are shown as their size`() {
        #expect(Redaction.text(of: Data("abc".utf8), contentType: "text/plain") == "(3 bytes)")
        #expect(Redaction.text(of: Data("{".utf8), contentType: "application/json") == "(1 bytes)")
        #expect(Redaction.text(of: Data(), contentType: nil) == "")
        let long = Data("[\(String(repeating: "1,", count: 5000))1]".utf8)
        #expect(Redaction.text(of: long, contentType: "application/json") == "(\(long.count) bytes)")
    }
}
