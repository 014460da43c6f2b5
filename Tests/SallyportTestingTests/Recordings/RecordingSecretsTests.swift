import Foundation
import HTTPTypes
import Sallyport
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RecordingSecretsTests {
    /// Records one call with a mock, and returns the text of the file and its entry.
    private func recorded(
        _ request: TransportRequest,
        _ response: MockResponse,
        configure: (inout RecordingOptions) -> Void = { _ in }
    ) async throws -> (text: String, entry: HttpArchive.Entry) {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("secrets.har")
            let transport = try RecordingTransport(file: file) { options in
                options.mode = .all
                options.transport = MockTransport { _ in response }
                configure(&options)
            }
            _ = try await transport.text(request)
            try await transport.finish()
            let data = try Data(contentsOf: file)
            return (String(decoding: data, as: UTF8.self), try #require(try HttpArchive(data).entries.first))
        }
    }

    @Test func `No secret of a sign-in is stored, and other secrets replay it`() async throws {
        let accessToken = "mF9-B5f.4.1JqM"
        let idToken = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJqb2huIn0.c2lnbmF0dXJl"
        let secrets = [
            "correct-horse-7", "correct%2Dhorse%2D7", accessToken, idToken, "tGzv3JOkF0XG5Qx2TlKWIA",
            "6a1b2c3d4e5f60718293",
            "am9objpjb3JyZWN0LWhvcnNlLTc=", "s3cr3t-header",
        ]
        let tokens = """
            {
              "access_token": "\(accessToken)", "token_type": "Bearer", "expires_in": 3600,
              "refresh_token": "tGzv3JOkF0XG5Qx2TlKWIA", "id_token": "\(idToken)", "scope": "openid"
            }
            """
        let page = "<p>Signed in with \(accessToken) by correct-horse-7</p>"
        let script: Script = [
            .receiveRequest,
            respond(tokens, "Content-Type: application/json", "Set-Cookie: sid=6a1b2c3d4e5f60718293; Path=/; HttpOnly"),
            .receiveRequest,
            respond(
                page,
                "Content-Type: text/html",
                "X-Api-Key: s3cr3t-header",
                "Link: </users?page_token=page-token-99>; rel=\"next\""
            ),
        ]
        @Sendable func calls(_ transport: RecordingTransport, _ origin: String, _ password: String, _ token: String)
            async throws
        {
            let login = makeRequest(
                origin,
                "/token",
                .post,
                [
                    .contentType: "application/x-www-form-urlencoded",
                    .authorization: "Basic " + Data("john:\(password)".utf8).base64EncodedString(),
                ],
                body: .text("grant_type=password&username=john&password=\(password)")
            )
            let tokens = try await transport.text(login)
            #expect(tokens.contains("\"token_type\": \"Bearer\", \"expires_in\": 3600"))
            let fields: HTTPFields = [.authorization: "Bearer \(token)", .cookie: "sid=\(token)\(token); lang=en"]
            _ = try await transport.text(makeRequest(origin, "/echo/\(token)?token=\(token)&page=1", .get, fields))
        }
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("sign-in.har")
            let origin = try await record(file, script) { transport, origin in
                try await calls(transport, origin, "correct-horse-7", accessToken)
            }
            let data = try Data(contentsOf: file)
            let text = String(decoding: data, as: UTF8.self)
            for secret in secrets { #expect(!text.contains(secret), "\(secret) is stored") }
            let entries = try HttpArchive(data).entries
            #expect(entries[0].request.postData?.text == "grant_type=password&username=john&password=***")
            #expect(entries[0].request.headers.contains(.init(name: "Authorization", value: "Basic ***")))
            #expect(
                entries[0].response.content.text == """
                    {
                      "access_token": "***", "token_type": "Bearer", "expires_in": 3600,
                      "refresh_token": "***", "id_token": "***", "scope": "openid"
                    }
                    """
            )
            #expect(entries[0].response.headers.contains(.init(name: "Set-Cookie", value: "sid=***; Path=/; HttpOnly")))
            #expect(entries[0].response.cookies == [.init(name: "sid", value: "***")])
            #expect(entries[1].request.url == "\(origin)/echo/***?token=***&page=1")
            #expect(entries[1].request.cookies.map(\.name) == ["sid", "lang"])
            #expect(entries[1].response.content.text == "<p>Signed in with *** by ***</p>")
            #expect(
                entries[1].response.headers.contains(
                    .init(name: "Link", value: "</users?page_token=page-token-99>; rel=\"next\"")
                )
            )
            #expect(entries[1].response.headers.contains(.init(name: "X-Api-Key", value: "***")))
            let transport = try replay(file) {
                $0.matching.formUnion([.body, .header("Authorization"), .header("Cookie")])
            }
            try await calls(transport, origin, "another-password", "an0ther-t0ken")
            try await transport.finish()
        }
    }

    @Test func `Replayed bodies have the length of the masked text`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("length.har")
            let script: Script = [.receiveRequest, respond(#"{"access_token":"0123456789abcdef"}"#)]
            let origin = try await record(file, script) { transport, origin in
                _ = try await transport.text(makeRequest(origin, "/"))
            }
            try await replay(file).send(makeRequest(origin, "/")) { response in
                #expect(response.head.headerFields[.contentLength] == "22")
                #expect(response.body.length == 22)
                let body = try await response.body.collect(upTo: 22)
                #expect(body.count == 22)
            }
        }
    }

    @Test func `Values that only describe secrets are stored`() async throws {
        let json = """
            {"token_endpoint":"https://id.example.com/token","token_type":"Bearer","max_tokens":100,"error":{"code":404,"key":"name"},
            "code":"user_not_found","check_session_iframe":"https://id.example.com/session","token_endpoint_auth_methods_supported":["none"]}
            """
        let response = MockResponse.json(json)
            .header(.accessControlAllowCredentials, "true")
            .header(.wwwAuthenticate, #"Digest realm="a", nonce="0123456789abcdef""#)
        let entry = try await recorded(makeRequest("https://id.example.com", "/"), response).entry
        #expect(entry.response.content.text == json)
        let fields = Set(entry.response.headers.map(\.value))
        #expect(fields.isSuperset(of: ["true", #"Digest realm="a", nonce="0123456789abcdef""#]))
    }

    @Test(arguments: [
        (#"{"otp": 123456}"#, #"{"otp": 0}"#),
        (#"{"user": 7, "password": 12345678}"#, #"{"user": 7, "password": 0}"#),
        (#"{"code": "123456", "pin": "1234"}"#, #"{"code": "***", "pin": "***"}"#),
        (#"{"input":[{"name":"IDToken2","value":"pässword"}]}"#, #"{"input":[{"name":"IDToken2","value":"***"}]}"#),
        (
            #"{"credentials": {"type": "basic", "values": ["a", "b"]}}"#,
            #"{"credentials": {"type": "basic", "values": ["***", "***"]}}"#
        ),
        (#"{"a": "{\"password\": \"x\"}"}"#, #"{"a": "{\"password\": \"***\"}"}"#),
        (
            #"{"next": "https://example.com/?access_token=abc&page=2"}"#,
            #"{"next": "https://example.com/?access_token=***&page=2"}"#
        ),
        (#"{"text": "Authorization: Bearer abc.def"}"#, #"{"text": "Authorization: Bearer ***"}"#),
        ("data: {\"id_token\": \"abc\"}\n\ndata: {\"n\": 1}\n", "data: {\"id_token\": \"***\"}\n\ndata: {\"n\": 1}\n"),
        ("user=john; password='abc'", "user=john; password='***'"),
        ("https://john:secret@example.com/", "https://***@example.com/"),
    ])
    func `Secrets in bodies are masked, and nothing else is changed`(body: String, masked: String) async throws {
        let response = MockResponse(headers: [.contentType: "text/event-stream"], body: Data(body.utf8))
        let entry = try await recorded(makeRequest("https://example.com", "/"), response).entry
        #expect(entry.response.content.text == masked)
    }

    @Test func `The elements of XML are masked by their names, and their contents wherever they occur`() async throws {
        let request = makeRequest(
            "https://example.com",
            "/",
            .post,
            [.contentType: "application/soap+xml"],
            body: .text("<e><w:Username>ada</w:Username><w:Password Type=\"text\">correct-horse-7</w:Password></e>")
        )
        let (text, entry) = try await recorded(request, .text("correct-horse-7"))
        let masked = "<e><w:Username>ada</w:Username><w:Password Type=\"text\">***</w:Password></e>"
        #expect(entry.request.postData?.text == masked)
        #expect(!text.contains("correct-horse-7"))
    }

    @Test(arguments: [
        ("text/html", "<input type=\"hidden\" name=\"csrf_token\" value=\"C4nary\">"),
        ("text/plain", "password: C4nary"),
        ("text/plain", "password = C4nary"), ("text/html", "<script>var accessToken = \"C4nary\";</script>"),
        ("text/html", "<meta name=\"csrf-token\" content=\"C4nary\">"), ("application/yaml", "tokens:\n  - C4nary\n"),
        ("text/csv", "id,password\n1,C4nary\n"), ("application/json; charset=utf-16le", #"{"password": "C4nary"}"#),
        ("text/plain", "-----BEGIN PRIVATE KEY-----\nC4nary\n-----END PRIVATE KEY-----"),
    ])
    func `A recording stores no secret that a HAR file masks`(type: String, body: String) async throws {
        let encoding: String.Encoding = type.contains("utf-16") ? .utf16LittleEndian : .utf8
        let data = try #require(body.data(using: encoding))
        let canary = try #require("C4nary".data(using: encoding))
        let response = MockResponse(headers: [.contentType: type], body: data)
        let request = makeRequest("https://example.com", "/", .post, [.contentType: type], body: .data(data))
        let (text, entry) = try await recorded(request, response)
        #expect(!text.contains("C4nary"))
        #expect(entry.response.content.data?.range(of: canary) == nil)
        #expect(entry.request.postData?.data?.range(of: canary) == nil)
    }

    @Test func `A secret that the client sent is masked in the response, even if it is an everyday word`() async throws
    {
        let request = makeRequest(
            "https://example.com",
            "/",
            .post,
            [.authorization: "Bearer horsestaple"],
            body: .text("a")
        )
        let (text, entry) = try await recorded(request, .text("You sent horsestaple."))
        #expect(!text.contains("horsestaple"))
        #expect(entry.response.content.text == "You sent ***.")
    }

    @Test func `The options add and except names, and mask texts`() async throws {
        let json = #"{"customer-number": 4711, "token": "Hello", "account": "DE 12345", "status": "active"}"#
        let request = makeRequest(
            "https://example.com",
            "/accounts/DE%2012345/12345-A?customerNumber=4711",
            .post,
            [.contentType: "application/json", HTTPField.Name("X-Trace")!: "12345-A"],
            body: .text(json)
        )
        let (text, entry) = try await recorded(request, .json(json)) { options in
            options.secretNames = ["customer_number"]
            options.publicNames = ["token"]
            options.secretValues = ["DE 12345", "DE%2012345", "12345-A"]
        }
        let masked = #"{"customer-number": 0, "token": "Hello", "account": "***", "status": "active"}"#
        #expect(entry.response.content.text == masked)
        #expect(entry.request.postData?.text == masked)
        #expect(entry.request.url == "https://example.com/accounts/***/***?customerNumber=***")
        #expect(entry.request.headers.contains(.init(name: "X-Trace", value: "***")))
        #expect(!text.contains("12345"))
        #expect(!text.contains("4711"))
    }

    @Test func `The parts of a multipart body are masked by their names`() async throws {
        var form = try MultipartForm(boundary: "limit")
        form.append(name: "name", value: "John")
        form.append(name: "password", value: "correct-horse-7")
        var built = HttpRequest()
        built.multipart(form)
        let fields: HTTPFields = [.contentType: "multipart/form-data; boundary=limit"]
        let request = makeRequest("https://example.com", "/", .post, fields, body: built.body)
        let (text, entry) = try await recorded(request, .status(204))
        #expect(!text.contains("correct-horse-7"))
        #expect(entry.request.postData?.text?.contains("John") == true)
        #expect(entry.request.postData?.text?.contains("\r\n\r\n***\r\n--limit--") == true)
    }

    @Test func `A header field that is marked as secret is masked`() async throws {
        var field = HTTPField(name: HTTPField.Name("X-Custom")!, value: "pr1vate-value")
        field.indexingStrategy = .disallow
        let fields = HTTPFields([field])
        let (text, _) = try await recorded(
            makeRequest("https://example.com", "/", .get, fields),
            .text("pr1vate-value")
        )
        #expect(!text.contains("pr1vate-value"))
    }

    @Test func `A compressed request is recorded without its body, and cannot be compared by it`() async throws {
        let fields: HTTPFields = [.contentEncoding: "gzip"]
        let request = makeRequest("https://api.example.com", "/", .post, fields, body: .text("zipped-password"))
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("compressed.har")
            let transport = try RecordingTransport(file: file) { options in
                options.mode = .all
                options.transport = MockTransport { _ in .text("done") }
            }
            _ = try await transport.text(request)
            try await transport.finish()
            let entry = try #require(try HttpArchive(Data(contentsOf: file)).entries.first)
            #expect(entry.request.bodySize == 15)
            #expect(entry.request.postData?.text == "")
            let text = try await replay(file).text(request)
            #expect(text == "done")
            let comparing = try replay(file) { $0.matching.insert(.body) }
            let error = await expectError(\NetworkError.kind, "invalidRequest") { try await comparing.text(request) }
            #expect(error?.failure.reason.contains("body: not contained in the recording") == true)
        }
    }

    @Test func `A response with a content coding that was not decoded is not recorded`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("coded.har")
            let transport = try RecordingTransport(file: file) { options in
                options.mode = .all
                options.transport = MockTransport { _ in .text("encoded").header(.contentEncoding, "br") }
            }
            let error = await expectError(\NetworkError.kind, "undecodableBody") { try await transport.text("/") }
            #expect(
                error?.failure.reason.hasPrefix("the response has the content coding br, which the transport has")
                    == true
            )
            try await transport.finish()
            #expect(try HttpArchive(Data(contentsOf: file)).entries.isEmpty)
        }
    }

    @Test func `Binary bodies are stored as Base64 and replayed unchanged`() async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("binary.har")
            let transport = try RecordingTransport(file: file) { options in
                options.mode = .all
                options.transport = MockTransport { request in MockResponse(body: request.body) }
            }
            let request = makeRequest("https://example.com", "/", .put, body: .data(bytes))
            _ = try await transport.text(request)
            try await transport.finish()
            let entry = try #require(try HttpArchive(Data(contentsOf: file)).entries.first)
            #expect(entry.response.content.encoding == "base64")
            let replayed = try replay(file) { $0.matching.insert(.body) }
            let data = try await replayed.send(request) { try await $0.body.collect(upTo: 256) }
            #expect(data == bytes)
        }
    }
}
