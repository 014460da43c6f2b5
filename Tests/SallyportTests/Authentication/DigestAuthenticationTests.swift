import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct DigestAuthenticationTests {
    private func digest(
        _ server: MockTransport,
        _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) -> HttpClient {
        makeClient(server) { config in
            config.authentication = [Mufasa.authentication]
            configure(&config)
        }.client
    }

    private let get = makeRequest(Mufasa.url)

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `The example of RFC 7616, section 3.9.1, gives its Authorization header`(algorithm: String, proof: String)
        async throws
    {
        let server = MockTransport.answering(.asking(Mufasa.challenge(algorithm)), .text("fine"))
        let response = try await digest(server).request(request: get)
        #expect(response.bodyAsString() == "fine")
        let expected =
            "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", uri=\"/dir/index.html\", algorithm=\(algorithm), "
            + "nonce=\"\(Mufasa.nonce)\", nc=00000001, cnonce=\"\(Mufasa.clientNonce)\", qop=auth, "
            + "response=\"\(proof)\", opaque=\"\(Mufasa.opaque)\""
        #expect(server.authorizations == [nil, expected])
    }

    /// The values of the example in section 3.9.2 are wrong: they are those of a truncated SHA-512, which is a different function from
    /// SHA-512/256. These were computed by Python's hashlib.
    @Test(arguments: [
        (
            "SHA-256", "5a1a8a47df5c298551b9b42ba9b05835174a5bd7d511ff7fe9191d8e946fc4e7",
            "b6d5cb9c3000ea2385250005e294d7132b260b8fd08940d2377373493cee8cc4"
        ),
        (
            "SHA-512-256", "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b",
            "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"
        ),
    ])
    func `The user name is hashed if the challenge has userhash=true`(
        algorithm: String,
        user: String,
        proof: String
    ) async throws {
        let challenge =
            "Digest realm=\"api@example.org\", qop=\"auth\", algorithm=\(algorithm), charset=UTF-8, userhash=true, "
            + "nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\""
        let server = MockTransport.answering(.asking(challenge), .status(200))
        let authentication = DigestAuthentication(
            user: "Ja\u{308}søn Doe",
            password: "Secret, or not?",
            for: ["https://api.example.org"]
        ) { "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v" }
        let (client, _) = makeClient(server) { $0.authentication = [authentication] }
        _ = try await client.request(request: makeRequest("https://api.example.org/doe.json"))
        let sent = try #require(server.authorizations[1])
        #expect(sent.parameter("username") == "\"\(user)\"")
        #expect(sent.parameter("userhash") == "true")
        #expect(sent.parameter("response") == "\"\(proof)\"")
    }

    @Test func `A challenge with an unsupported algorithm is not answered, and the caller receives the 401 response`()
        async throws
    {
        let server = MockTransport.answering(.asking(Mufasa.challenge("SHA-512"), "Basic realm=\"a\""))
        let response = try await digest(server).request(request: get)
        #expect(response.status == .unauthorized && response.bodyAsString() == "who are you?")
        #expect(server.authorizations == [nil])
    }

    @Test(arguments: [
        ("MD5-sess", "auth", "e783283f46242139c486a698fec7211d"),
        ("SHA-256-sess", "auth", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ("md5", "auth-int", "8804a53d3640a40a4f73cea12c5ba451"),
        ("sha-256", "AUTH-INT", "8bdf6f15638e260831e905028de5450562816d093c9bfc5c13d3a46adcdde940"),
        ("MD5", nil, "7b2cc3b30e75b4777ea31027084363fd"),
        ("SHA-256", nil, "a1306b0595a6c7fe96c448631fb5cfbd5107bd1fe1da729d978dd7446b812363"),
        ("MD5-sess", nil, "37a7f42db2090a3fcac4e26e747d4fc8"),
        ("SHA-512-256", "auth", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
        ("sha-512-256", "auth-int", "38244c4d345d09bb0000b355be27d2a55003ee188df9821c54df70a63aa0c1ca"),
        ("SHA-512-256-sess", "auth", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
        ("SHA-512-256", nil, "93e9122020ea0624d2ca801426d5bfbeb93d10ff4cc24cb410af3920fa4730e7"),
    ])
    func `Each algorithm and quality of protection gives the response computed by Python's hashlib`(
        algorithm: String,
        qop: String?,
        proof: String
    )
        async throws
    {
        let server = MockTransport.answering(.asking(Mufasa.challenge(algorithm, qop: qop)), .status(200))
        _ = try await digest(server).request(request: get)
        let sent = try #require(server.authorizations[1])
        #expect(sent.parameter("response") == "\"\(proof)\"")
        #expect(sent.parameter("qop") == qop?.lowercased())
        #expect(sent.parameter("nc") == qop.map { _ in "00000001" })
        #expect((sent.parameter("cnonce") != nil) == (qop != nil || algorithm.hasSuffix("-sess")))
    }

    @Test func `A challenge of RFC 2069 is answered as in its example, without an algorithm`() async throws {
        let challenge = "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""
        let server = MockTransport.answering(.asking(challenge), .status(200))
        let (client, _) = makeClient(server) { config in
            config.authentication = [.digest(user: "Mufasa", password: "CircleOfLife", for: Mufasa.url)]
        }
        _ = try await client.request(request: get)
        #expect(
            server.authorizations[1]
                == "Digest username=\"Mufasa\", realm=\"testrealm@host.com\", uri=\"/dir/index.html\", "
                + "nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", response=\"1949323746fe6a43ef61f9606e7febea\""
        )
    }

    @Test(arguments: ["", " ", ","])
    func `A challenge with an empty quality of protection is answered like one of RFC 2069`(qop: String) async throws {
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5", qop: qop)), .status(200))
        _ = try await digest(server).request(request: get)
        let sent = try #require(server.authorizations[1])
        #expect(sent.parameter("response") == "\"7b2cc3b30e75b4777ea31027084363fd\"")
        #expect(sent.parameter("qop") == nil && sent.parameter("nc") == nil && sent.parameter("cnonce") == nil)
    }

    @Test func `An unquoted parameter without a value is empty`() async throws {
        let challenge = "Digest realm=\"http-auth@example.org\", qop=, nonce=\"\(Mufasa.nonce)\", opaque="
        let server = MockTransport.answering(.asking(challenge), .status(200))
        _ = try await digest(server).request(request: get)
        let sent = try #require(server.authorizations.last ?? nil)
        #expect(sent.parameter("response") == "\"7b2cc3b30e75b4777ea31027084363fd\"")
        #expect(sent.parameter("opaque") == "\"\"")
    }

    @Test func `A challenge without a realm is answered with an empty realm, as by curl`() async throws {
        let challenge = "Digest nonce=\"\(Mufasa.nonce)\", qop=\"auth\""
        let server = MockTransport.answering(.asking(challenge), .status(200))
        _ = try await digest(server).request(request: get)
        let sent = try #require(server.authorizations[1])
        #expect(sent.parameter("realm") == "\"\"")
        #expect(sent.parameter("response") == "\"a0e36d3e664d1adda3ce872d055fb81d\"")
    }

    @Test(arguments: [(", charset=UTF-8", "username*=UTF-8''%C3%BC%22%5C"), ("", #"username="ü\"\\""#)])
    func `A user name with special characters is quoted, or percent-encoded if the server supports UTF-8`(
        more: String,
        field: String
    ) async throws {
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5", more: more)), .status(200))
        let (client, _) = makeClient(server) { config in
            config.authentication = [.digest(user: #"ü"\"#, password: "p", for: Mufasa.url)]
        }
        _ = try await client.request(request: get)
        #expect(server.authorizations[1]?.hasPrefix("Digest \(field), realm=") == true)
    }

    @Test func `The strongest supported challenge is answered, in any order and in one or several fields`() async throws
    {
        let md5 = Mufasa.challenge("MD5")
        let sha256 = Mufasa.challenge("SHA-256")
        let unknown = Mufasa.challenge("SHA-512")
        let sha512 = Mufasa.challenge("SHA-512-256")
        for response in [
            MockResponse.asking(md5, sha256, unknown),
            .asking("Basic realm=\"a, b\", \(unknown), Negotiate, \(md5), \(sha256)"),
            .asking("NTLM TlRMTVNTUAAB==, \(sha256)", md5),
            .asking(Mufasa.challenge("SHA-256", qop: "unknown"), sha256), .asking(md5, sha256, sha512),
        ] {
            let server = MockTransport.answering(response, .status(200))
            _ = try await digest(server).request(request: get)
            #expect(server.authorizations[1]?.parameter("algorithm") == "SHA-256")
        }
    }

    @Test func `A wrong password gives a 401 response after one attempt per request`() async throws {
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5")))
        let client = digest(server)
        for _ in 1...2 { #expect(try await client.request(request: get).status == .unauthorized) }
        #expect(server.authorizations.map { $0 != nil } == [false, true, false, true])
    }

    @Test func `A stale nonce is replaced once per request, and a second stale challenge gives the 401 response`()
        async throws
    {
        let fresh = Mufasa.challenge("MD5").replacing(Mufasa.nonce, with: "fresh") + ", stale=TRUE"
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5")), .asking(fresh), .text("fine"))
        #expect(try await digest(server).request(request: get).bodyAsString() == "fine")
        #expect(server.authorizations.map { $0?.parameter("nonce") } == [nil, "\"\(Mufasa.nonce)\"", "\"fresh\""])
        #expect(server.authorizations.map { $0?.parameter("nc") } == [nil, "00000001", "00000001"])

        let endless = MockTransport.answering(.asking(fresh))
        #expect(try await digest(endless).request(request: get).status == .unauthorized)
        #expect(endless.requests.count == 3)
    }

    @Test func `Later requests to the origin send credentials with an increasing nonce count`() async throws {
        let server = MockTransport.answering(.asking(Mufasa.challenge("SHA-256")), .status(200))
        let client = digest(server)
        for path in ["/dir/index.html", "/", "/other?a=b"] {
            _ = try await client.request(request: makeRequest("https://www.example.org\(path)"))
        }
        _ = try await client.request(request: makeRequest("https://www.example.org:8080/"))
        #expect(
            server.authorizations.map { $0?.parameter("nc") } == [nil, "00000001", "00000002", "00000003", nil]
        )
        #expect(server.authorizations[3]?.parameter("uri") == "\"/other?a=b\"")
    }

    @Test func `A stale nonce of an earlier request is replaced without sending a request without credentials`()
        async throws
    {
        let fresh = Mufasa.challenge("MD5").replacing(Mufasa.nonce, with: "fresh") + ", stale=true"
        let server = MockTransport.answering(
            .asking(Mufasa.challenge("MD5")),
            .status(200),
            .asking(fresh),
            .text("fine")
        )
        let client = digest(server)
        _ = try await client.request(request: get)
        #expect(try await client.request(request: get).bodyAsString() == "fine")
        #expect(server.authorizations.map { $0?.parameter("nc") } == [nil, "00000001", "00000002", "00000001"])
    }

    @Test func `Concurrent requests have different nonce counts`() async throws {
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5")), .status(200))
        let client = digest(server)
        _ = try await client.request(request: get)
        try await withThrowingTaskGroup { group in
            for _ in 1...50 { group.addTask { _ = try await client.request(request: get) } }
            try await group.waitForAll()
        }
        let counts = server.authorizations.compactMap { $0?.parameter("nc") }
        #expect(Set(counts).count == 51 && counts.count == 51)
    }

    @Test(arguments: [
        ("/private", ["/private/a": true, "/privately": true, "/public": false]),
        ("https://www.example.org/one /two https://foreign.example/", ["/one": true, "/two/b": true, "/three": false]),
        ("", ["/anything": true]), ("ftp://a", ["/anything": true]),
    ])
    func `Credentials are sent preemptively only for the domain of the challenge`(
        domain: String,
        paths: [String: Bool]
    ) async throws {
        let challenge = Mufasa.challenge("MD5", more: ", domain=\"\(domain)\"")
        for (path, isCovered) in paths {
            let server = MockTransport.answering(.asking(challenge), .status(200))
            let client = digest(server)
            _ = try await client.request(request: get)
            _ = try await client.request(request: makeRequest("https://www.example.org\(path)"))
            #expect((server.authorizations[2] != nil) == isCovered, "\(path)")
        }
    }

    @Test func `The domain of a challenge does not extend credentials to an origin that the app has not named`()
        async throws
    {
        let challenge = Mufasa.challenge("MD5", more: ", domain=\"https://foreign.example/ /\"")
        let server = MockTransport.answering(.asking(challenge), .status(200), .asking(challenge))
        let client = digest(server)
        _ = try await client.request(request: get)
        #expect(try await client.request(request: makeRequest("https://foreign.example/")).status == .unauthorized)
        #expect(server.authorizations.count == 3 && server.authorizations[2] == nil)
    }

    @Test func `A redirect to another origin carries no credentials, and its challenge is not answered`() async throws {
        let server = MockTransport { request in
            if request.path == "/foreign" { return .asking(Mufasa.challenge("MD5")) }
            return request.header("Authorization") == nil
                ? .asking(Mufasa.challenge("MD5")) : .redirect(to: "https://other.example.com/foreign")
        }
        let client = digest(server) { $0.redirects = .follow(limit: 3) }
        let response = try await client.request(request: get)
        #expect(response.status == .unauthorized)
        #expect(response.request.url == "https://other.example.com/foreign")
        #expect(server.authorizations.map { $0 != nil } == [false, true, false])
    }

    @Test func `A redirect within the origin carries credentials for its own URI`() async throws {
        let server = MockTransport { request in
            if request.header("Authorization") == nil { return .asking(Mufasa.challenge("MD5")) }
            return request.path == "/end" ? .text("fine") : .redirect(to: "/end")
        }
        let client = digest(server) { $0.redirects = .follow(limit: 3) }
        #expect(try await client.request(request: get).bodyAsString() == "fine")
        #expect(server.authorizations.map { $0?.parameter("uri") } == [nil, "\"/dir/index.html\"", "\"/end\""])
    }

    @Test func `A cookie set by the challenge response is sent with the credentials`() async throws {
        let challenge = MockResponse.asking(Mufasa.challenge("MD5")).header(.setCookie, "nonce=1")
        let server = MockTransport.answering(challenge, .status(200))
        _ = try await digest(server).request(request: get)
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "nonce=1"])
    }

    @Test func `A challenge of a streamed call is answered`() async throws {
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5")), .text("fine"))
        let client = digest(server)
        let text = try await client.stream(request: get) { response in
            String(decoding: try await response.bodyStream.collect(upTo: 100), as: UTF8.self)
        }
        #expect(text == "fine")
    }

    @Test func `A user name with a control character is refused before anything is sent, one with a colon is accepted`()
        async throws
    {
        for (user, isRefused) in [("a\u{7}", true), ("a:b", false)] {
            let server = MockTransport.answering(.status(200))
            let (client, _) = makeClient(server) {
                $0.authentication = [.digest(user: user, password: "p", for: Mufasa.url)]
            }
            do throws(NetworkError) {
                _ = try await client.request(request: get)
                #expect(!isRefused)
            } catch {
                #expect(error.kind == "invalidRequest")
                #expect(isRefused)
            }
            #expect(server.requests.isEmpty == isRefused)
        }
    }
}
