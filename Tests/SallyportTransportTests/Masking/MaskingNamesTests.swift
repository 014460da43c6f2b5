import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

/// Masks each name in each form of text, and each form in both styles.
@Suite(.busy) struct MaskingNamesTests {
    private static func words(_ text: String) -> [String] { text.split { $0.isWhitespace }.map(String.init) }

    private static let secretNames = words(
        """
        token access_token refresh_token id_token id_token_hint accessToken csrf csrf_token _csrf xsrf X-XSRF-TOKEN authenticity_token
        password Password passwd pwd pw passphrase passcode newPassword user_password secret client_secret clientSecret app-secret
        api_key apiKey X-Api-Key access_key private_key signing_key encryptionKey sharedKey accountKey hmac signature X-Amz-Signature
        authorization auth session sessionId session_token JSESSIONID PHPSESSID ASP.NET_SessionId sid connect.sid cookie
        ticket serviceTicket SAMLResponse SAMLart wresult assertion client_assertion code_verifier oauth_verifier otp otpCode totp smsOtp
        pin userPin cvv cvc backupCodes recovery_code verificationCode security_code device_code user_code mfaCode jwt userJwt
        credential credentials X-Forwarded-Client-Cert iPlanetDirectoryPro tokenId IDToken2 authId code key sig DPoP mnemonic
        """
    )

    private static let publicNames = words(
        """
        secretary secretaries secretariat carbon_footprint footprint passwordless tokenizer tokenization possession obsession keyword
        page_token pageToken next_page_token nextPageToken continuation_token NextToken pagination_token token_type tokenType token_endpoint
        authorization_endpoint max_tokens password_policy passwordPolicy session_timeout cookie_policy signature_algorithm otp_length
        tokenCount password_required session_status authorization_details tokenFormat client_secret_expires_at state nonce scope user
        client_id redirect_uri grant_type code_challenge country_code zip_code status keyboard monkey design assign signal opinion spinner
        compass passage bypass author authority author_name country description barcode unicode decode encoder pinned shipping ticketing
        """
    )

    /// A way to write a value with a name.
    struct Form: Sendable, CustomTestStringConvertible {
        let type: String
        let write: @Sendable (_ name: String, _ value: String) -> String
        var testDescription: String { "\(type): \(write("NAME", "VALUE"))" }

        init(_ type: String, _ write: @escaping @Sendable (String, String) -> String) {
            (self.type, self.write) = (type, write)
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    private static let forms: [Form] = [
        Form("application/json") { #"{"a": [{"\#($0)": "\#($1)"}]}"# },
        Form("application/json") { #"{"text": "\#(escaped(#"{"b": {"\#($0)": "\#($1)"}}"#))"}"# },
        Form("application/json") { #"{"log": "a failed call: \#(escaped(#"{"\#($0)": "\#($1)""#))"}"# },
        Form("application/json") { #"{"query": "mutation { login(\#(escaped(#"\#($0): "\#($1)""#))) { id } }"}"# },
        Form("application/json") { #"{"url": "https://a.example/?x=1&\#($0)=\#($1)&y=2"}"# },
        Form("application/x-www-form-urlencoded") { "a=1&\($0)=\($1)&b=2" },
        Form("application/x-www-form-urlencoded") { "data=\(PercentEncoding.form(#"{"\#($0)": "\#($1)"}"#))" },
        Form("application/x-www-form-urlencoded") { #"data={"\#($0)":+"\#($1)"}"# },
        Form("application/x-www-form-urlencoded") { name, value in
            var text = "\(name)=\(value)"
            for _ in 0..<3 { text = "next=" + PercentEncoding.query("https://a.example/?" + text) }
            return text
        },
        Form("text/plain") { "a\n\($0): \($1)\nb" },
        Form("text/plain") { "a = 1\n\($0) = \($1)\nb = 2" },
        Form("text/plain") { "# a\n\($0)=\($1)\n" },
        Form("application/yaml") { "a:\n  - \($0): \($1)\n" },
        Form("application/yaml") { "a: {b: 1, \($0): \($1), c: 2}\n" },
        Form("application/yaml") { "\($0): |\n  \($1)\nb: 1\n" },
        Form("application/toml") { "[a]\n\($0) = \"\($1)\"\n" },
        Form("text/csv") { "id,\($0),name\r\n1,\($1),ada\r\n2,\"\($1)\",\"b,c\"\r\n" },
        Form("text/tab-separated-values") { "id\t\($0)\n1\t\($1)\n" },
        Form("text/event-stream") { #"data: {"\#($0)": "\#($1)"}"# + "\n\n" },
        Form("application/x-ndjson") { #"{"a": 1}"# + "\n" + #"{"\#($0)": "\#($1)"}"# + "\n" },
        Form("application/xml") { "<a><b:\($0) c=\"1\">\($1)</b:\($0)></a>" },
        Form("text/plain") { "<a><\($0)>\($1)</\($0)></a>" },
        Form("application/xml") { "<a><entry key=\"\($0)\">\($1)</entry></a>" },
        Form("application/xml") { "<a><add value='\($1)' name='\($0)'/></a>" },
        Form("text/xml") {
            "<struct><member><name>\($0)</name><value><string>\($1)</string></value></member></struct>"
        },
        Form("application/samlassertion+xml") {
            "<a:Attribute Name=\"\($0)\"><a:AttributeValue>\($1)</a:AttributeValue></a:Attribute>"
        },
        Form("text/html") { "<input title=\"a>b\" type=text value=\"\($1)\" name=\"\($0)\">" },
        Form("text/html") { "<textarea name='\($0)' rows=2>\($1)</textarea>" },
        Form("text/html") { "<button value=\"\($1)\" name=\($0)>Go</button>" },
        Form("text/html") { "<meta content='\($1)' name='\($0)'>" },
        Form("text/html") { "<script>\nvar config = {\"\($0)\": '\($1)', a: 1};\n</script>" },
        Form("application/javascript") { "const a = {\($0.replacing("-", with: "_")): `\($1)`};" },
    ]

    /// Returns the styles in which a name is tested. Most names are tested in one of the two, as the styles find names in the same way.
    private static func styles(of index: Int) -> [SecretMasker.Style] {
        if index.isMultiple(of: 4) { return [.display, .replayable] }
        return index.isMultiple(of: 2) ? [.display] : [.replayable]
    }

    /// Returns the text of a body as an output shows it.
    private func masked(_ text: String, _ type: String, _ style: SecretMasker.Style) -> String {
        var masker = SecretMasker(style: style)
        return masker.body(Data(text.utf8), type: type).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    @Test(arguments: forms) func `A secret is masked under each name`(form: Form) {
        for (index, name) in Self.secretNames.enumerated() {
            let canary = "C4nary\(index)x0123456789ab"
            for style in Self.styles(of: index) {
                let text = masked(form.write(name, canary), form.type, style)
                #expect(!text.contains(canary), "\(name): \(text)")
                #expect(text.contains("***"), "\(name): \(text)")
            }
        }
    }

    @Test(arguments: forms) func `What is no secret is shown under each name`(form: Form) {
        for (index, name) in Self.publicNames.enumerated() {
            let value = "Value\(index)x0123456789ab"
            for style in Self.styles(of: index) {
                let text = masked(form.write(name, value), form.type, style)
                #expect(text.contains(value) || text.contains("next=https"), "\(name): \(text)")
                #expect(!text.contains("***"), "\(name): \(text)")
            }
        }
    }

    @Test(arguments: secretNames) func `A header field is masked under each name`(name: String) throws {
        guard let fieldName = HTTPField.Name(name), !["code", "key"].contains(name) else { return }
        let field = HTTPField(name: fieldName, value: "C4nary0123456789")
        #expect(!Redaction.line(field).contains("C4nary"))
        var masker = SecretMasker(style: .replayable)
        let value = masker.value(of: field)
        #expect(!value.contains("C4nary"))
    }

    @Test(arguments: publicNames) func `A header field that is no secret is shown`(name: String) throws {
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "Value0123456789")
        #expect(Redaction.line(field) == "\(name): Value0123456789")
        #expect(!Redaction.containsSecret(field))
    }
}
