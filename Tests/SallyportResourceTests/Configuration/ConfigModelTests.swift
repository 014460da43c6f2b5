import Foundation
import Sallyport
import SallyportJOSE
import SallyportResource
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ConfigModelTests {
    /// All keys with values that differ from the defaults.
    private static var complete: [String: Any] {
        [
            "appIdentifier": "com.example.app",
            "appPlatform": "ios",
            "appVersion": "2.1.0",
            "baseURL": "https://id.example.com",
            "resourceBaseURL": "https://api.example.com/resources/",
            "redirectURL": "com.example.app:/callback",
            "certificates": ["-----BEGIN CERTIFICATE-----"],
            "pins": ["*.example.com": [ResourceServer.pin]],
            "allowsUnpinnedHosts": true,
            "serverPublicKey": "{}",
            "payloadHandshakeURL": "payload/open",
            "additionalResourceURLs": ["https://files.example.com"],
            "storeCookies": false,
            "deviceConfigurationCacheDuration": 60,
            "requestTimeout": 10,
            "integrityChecks": ["debugger", "outdated-app"],
            "softwareStatement": "eyJ…",
            "issuer": "https://id.example.com/",
        ]
    }

    private static func expectComplete(_ model: ConfigModel) {
        #expect(model.appIdentifier == "com.example.app" && model.appPlatform == "ios" && model.appVersion == "2.1.0")
        #expect(model.baseURL == "https://id.example.com")
        #expect(model.resourceBaseURL == "https://api.example.com/resources/")
        #expect(model.redirectURL == "com.example.app:/callback")
        #expect(model.certificates == ["-----BEGIN CERTIFICATE-----"])
        #expect(model.pins == ["*.example.com": [ResourceServer.pin]])
        #expect(model.pinExpiry == Date(timeIntervalSince1970: 1_893_456_000))
        #expect(model.allowsUnpinnedHosts && !model.storeCookies)
        #expect(model.serverPublicKey == "{}" && model.payloadHandshakeURL == "payload/open")
        #expect(model.additionalResourceURLs == ["https://files.example.com"])
        #expect(model.deviceConfigurationCacheDuration == 60 && model.requestTimeout == 10)
        #expect(model.integrityChecks == [.debugger, .outdatedApp])
        #expect(model.softwareStatement == "eyJ…" && model.issuer == "https://id.example.com/")
    }

    @Test func `All settings are read from JSON`() throws {
        var values = Self.complete
        values["pinExpiry"] = "2030-01-01T00:00:00Z"
        Self.expectComplete(try ConfigModel(json: JSONSerialization.data(withJSONObject: values)))
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `All settings are read from a property list`(_ format: PropertyListSerialization.PropertyListFormat) throws {
        var values = Self.complete
        values["pinExpiry"] = Date(timeIntervalSince1970: 1_893_456_000)
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)
        Self.expectComplete(try ConfigModel(propertyList: data))
    }

    @Test func `A file is a property list or JSON, by its name`() async throws {
        try await withTemporaryDirectory { directory in
            var values = Self.complete
            values["pinExpiry"] = "2030-01-01T00:00:00Z"
            let json = directory.appending(path: "app.json")
            try JSONSerialization.data(withJSONObject: values).write(to: json)
            Self.expectComplete(try ConfigModel(contentsOf: json))
            values["pinExpiry"] = Date(timeIntervalSince1970: 1_893_456_000)
            let list = directory.appending(path: "app.plist")
            try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0).write(to: list)
            Self.expectComplete(try ConfigModel(contentsOf: list))
            let error = expectError(\ResourceError.reason, .invalidConfiguration) {
                try ConfigModel(contentsOf: directory.appending(path: "missing.json"))
            }
            #expect(error?.description.contains("missing.json") == true)
            let empty = directory.appending(path: "empty.json")
            try Data("{}".utf8).write(to: empty)
            let other = expectError(\ResourceError.reason, .invalidConfiguration) { try ConfigModel(contentsOf: empty) }
            #expect(other?.description.contains("empty.json") == true)
            let long = directory.appending(path: "long.json")
            try Data(repeating: UInt8(ascii: " "), count: (1 << 20) + 1).write(to: long)
            let last = expectError(\ResourceError.reason, .invalidConfiguration) { try ConfigModel(contentsOf: long) }
            #expect(last?.description.contains("long.json is longer than the maximum of 1048576 bytes") == true)
        }
    }

    @Test func `Settings that are missing have the documented defaults`() throws {
        let json = """
            {"appIdentifier": "a", "appVersion": "1", "baseURL": "https://a.example",
             "resourceBaseURL": "https://b.example"}
            """
        let read = try ConfigModel(json: Data(json.utf8))
        let made = ConfigModel(
            appIdentifier: "a",
            appVersion: "1",
            baseURL: "https://a.example",
            resourceBaseURL: "https://b.example"
        )
        #expect(read == made)
        #expect(made.storeCookies && made.deviceConfigurationCacheDuration == 300 && made.requestTimeout == 30)
        #expect(!made.allowsUnpinnedHosts && made.integrityChecks == Set(IntegrityCheck.allCases))
        #expect(made.appPlatform == StandardHeaders.platform && made.additionalResourceURLs.isEmpty)
    }

    @Test func `JSON may begin with a byte order mark`() throws {
        var values = Self.complete
        values["pinExpiry"] = "2030-01-01T00:00:00Z"
        let json = try JSONSerialization.data(withJSONObject: values)
        Self.expectComplete(try ConfigModel(json: Data([0xEF, 0xBB, 0xBF]) + json))
    }

    @Test func `Encoded settings are read again`() throws {
        var model = ResourceServer.model
        model.serverPublicKey = "key"
        model.pinExpiry = Date(timeIntervalSince1970: 1_893_456_000)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        #expect(try ConfigModel(json: encoder.encode(model)) == model)
    }

    @Test(arguments: [
        (#"{"appVersion": "1", "baseURL": "b", "resourceBaseURL": "c"}"#, "\"appIdentifier\" is missing"),
        (#"{"appIdentifer": "a"}"#, "\"appIdentifer\" is unknown"),
        (
            #"{"appIdentifier": "a", "appVersion": 1, "baseURL": "b", "resourceBaseURL": "c"}"#,
            "\"appVersion\" must be a text"
        ),
        (
            #"{"appIdentifier": "a", "appVersion": "1", "baseURL": "b", "resourceBaseURL": "c", "pins": ["x"]}"#,
            "\"pins\" must be an object"
        ),
        (
            #"{"appIdentifier": "a", "appVersion": "1", "baseURL": "b", "resourceBaseURL": "c", "pins": {"a": "x"}}"#,
            "\"pins.a\" must be an array"
        ),
        (
            #"{"appIdentifier": "a", "appVersion": "1", "baseURL": "b", "resourceBaseURL": "c", "pinExpiry": "2027"}"#,
            "\"pinExpiry\" is invalid: the date is not of the form 2027-01-31T00:00:00Z"
        ),
        (
            #"{"appIdentifier": "a", "appVersion": "1", "baseURL": "b", "resourceBaseURL": "c", "storeCookies": 1}"#,
            "\"storeCookies\" must be true or false"
        ),
        (
            #"{"appIdentifier": "a", "appVersion": "1", "baseURL": "b", "resourceBaseURL": "c", "integrityChecks": ["x"]}"#,
            "\"x\" is none of debugger, compromised-device"
        ),
        (#"{"baseUrl": "a"}"#, "did you mean \"baseURL\"?"),
        ("[]", "JSON"), ("no JSON", "JSON"), ("", "JSON"),
        ("{\n  \"appIdentifier\": \"a\"\n  \"appVersion\": \"1\"\n}", "line 3, column 3"),
        (#"{"appVersion": "1", "appVersion": "2"}"#, "two members with the same name, \"appVersion\""),
        (#"{"pins": {"a.example": [], "a.example": []}}"#, "two members with the same name, \"a.example\""),
    ])
    func `An error states the key that is missing, unknown or invalid`(_ json: String, _ text: String) {
        let error = expectError(\ResourceError.reason, .invalidConfiguration) { try ConfigModel(json: Data(json.utf8)) }
        #expect(error?.code.rawValue == 10001)
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        (nil, "/api/v1/payload/handshake"), ("/api/v1/payload/handshake", "/api/v1/payload/handshake"),
        ("open", "/resources/open"), ("https://api.example.com/open", "/open"),
    ])
    func `The path of the handshake begins at the origin if it has a slash`(url: String?, path: String) async throws {
        let server = try ResourceServer()
        let key = try JsonWebKey.generate(.ecdhEs, curve: .x25519).publicKey
        let text = String(decoding: try JSONEncoder().encode(key), as: UTF8.self)
        let client = try server.client { model in
            model.serverPublicKey = text
            model.payloadHandshakeURL = url
        }
        // The mock cannot answer the handshake.
        await expectError(\ResourceError.reason, .invalidResponse) {
            try await client.deviceClient.sendUnauthenticatedRequest(ResourceRequest(path: "p", method: .get))
        }
        #expect(server.transport.requests.map(\.url) == ["https://api.example.com\(path)"])
    }

    @Test func `The server's public key is a text or a JSON object`() throws {
        let key = try JsonWebKey.generate(.ecdhEs, curve: .p256).publicKey
        let text = String(decoding: try JSONEncoder().encode(key), as: UTF8.self)
        for value in [text, "{\"keys\": [\(text)]}"] {
            let json = """
                {"appIdentifier": "a", "appVersion": "1", "baseURL": "https://a.example",
                 "resourceBaseURL": "https://a.example", "serverPublicKey": \(value)}
                """
            let read = try #require(try ConfigModel(json: Data(json.utf8)).serverPublicKey)
            #expect(try PayloadServerKey(parsing: read) == PayloadServerKey([key]))
        }
    }

    /// Names of settings, and changes that make them invalid.
    private static let invalidSettings: [(name: String, change: @Sendable (inout ConfigModel) -> Void)] = [
        ("appIdentifier", { $0.appIdentifier = "a b" }),
        ("appIdentifier", { $0.appIdentifier = ".." }),
        ("appVersion", { $0.appVersion = "" }),
        ("appPlatform", { $0.appPlatform = "iOS\r\n" }),
        ("baseURL", { $0.baseURL = "" }),
        ("baseURL", { $0.baseURL = "http://id.example.com" }),
        ("resourceBaseURL", { $0.resourceBaseURL = "http://127.0.0.1/" }),
        ("resourceBaseURL", { $0.resourceBaseURL = "https://api.example.com/?a=b" }),
        ("resourceBaseURL", { $0.resourceBaseURL = "https://api.example.com/#a" }),
        ("resourceBaseURL", { $0.resourceBaseURL = "https://name:secret@api.example.com/" }),
        ("resourceBaseURL", { $0.resourceBaseURL = "api.example.com" }),
        ("resourceBaseURL", { $0.resourceBaseURL = "https://api.example.com/a/../b/" }),
        ("resourceBaseURL", { $0.resourceBaseURL = "https://api.example.com/a/%2E%2e" }),
        ("resourceBaseURL", { $0.resourceBaseURL = "https://api.example.com/./a" }),
        ("baseURL", { $0.baseURL = "https://id.example.com/a%2F..%2Fb" }),
        ("additionalResourceURLs", { $0.additionalResourceURLs = ["ftp://files.example.com"] }),
        ("redirectURL", { $0.redirectURL = "callback" }),
        ("redirectURL", { $0.redirectURL = "app:/callback#a" }),
        ("pin", { $0.pins = ["*.example.com": ["sha256/abc"]] }),
        ("pins of the host \"files.example.com\"", { $0.pins["files.example.com"] = [] }),
        ("host pattern", { $0.pins = ["https://api.example.com": [ResourceServer.pin]] }),
        ("certificate", { $0.certificates = ["no certificate"] }),
        ("serverPublicKey", { $0.serverPublicKey = "no key" }),
        ("payloadHandshakeURL", { $0.payloadHandshakeURL = "https://other.example/" }),
        ("payloadHandshakeURL", { $0.payloadHandshakeURL = "../open" }),
        ("requestTimeout", { $0.requestTimeout = 0 }),
        ("requestTimeout", { $0.requestTimeout = .infinity }),
        ("requestTimeout", { $0.requestTimeout = .nan }),
        ("deviceConfigurationCacheDuration", { $0.deviceConfigurationCacheDuration = .nan }),
    ]

    @Test func `An invalid setting is an error that names it`() throws {
        let server = try ResourceServer()
        for (name, change) in Self.invalidSettings {
            let error = expectError(\ResourceError.reason, .invalidConfiguration) { try server.client(change) }
            #expect(error?.description.contains(name) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("secret") == false)
        }
    }
}
