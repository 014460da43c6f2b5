import Foundation
import HTTPTypes
import SallyportJOSE
import Testing

@testable import SallyportGateway

/// An installation of the development server's app, with its key.
struct TestDevice: Sendable {
    static let redirectURI = TestIdentity.redirectURI
    static let implicitGrant = "urn:sallyport:params:oauth:grant-type:implicit-authentication"
    static let userAgent = "com.example.app/1.0 (linux 6.1) sallyport/0.1.0"

    let identity: TestIdentity
    let proof: TestProof
    /// The identifier of the device; empty before ``register(_:)``.
    private(set) var clientID = ""
    /// The registration access token.
    private(set) var token = ""

    /// Creates a device that has not registered.
    init(_ identity: TestIdentity, key: TestProof? = nil) throws {
        self.identity = identity
        proof = try key ?? TestProof(identity)
    }

    /// Returns a new device that has registered.
    static func registered(_ identity: TestIdentity) async throws -> TestDevice {
        var device = try TestDevice(identity)
        let response = try await device.register()
        #expect(response.status == .created, "\(response.text)")
        return device
    }

    /// Returns the metadata of a registration.
    func metadata(_ changes: [String: JsonValue?] = [:]) async throws -> [String: JsonValue] {
        let key = try #require(proof.key.publicJsonWebKey)
        var members: [String: JsonValue] = [
            "software_statement": .string(
                try await GatewayApplication.developmentStatement(version: "1.0", platform: "linux")
            ),
            "token_endpoint_auth_method": "private_key_jwt",
            "grant_types": [
                "client_credentials", "authorization_code", "refresh_token", .string(Self.implicitGrant),
            ],
            "redirect_uris": [.string(Self.redirectURI)],
            "jwks": ["keys": [.object(key.members)]],
        ]
        for (name, value) in changes { members[name] = value }
        return members
    }

    /// Registers the device, and remembers its identifier.
    ///
    /// - Parameters:
    ///   - changes: The changes of the metadata.
    ///   - proof: The proof; `nil` for one of the device's key.
    ///   - isProven: `false` to send no proof.
    mutating func register(
        _ changes: [String: JsonValue?] = [:],
        proof other: TestProof? = nil,
        isProven: Bool = true,
        userAgent: String = Self.userAgent
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/json", .userAgent: userAgent]
        if isProven { headers[HTTPField.Name("DPoP")!] = try await (other ?? proof)("POST", "/register") }
        let response = try await identity.client.execute(
            uri: "/register",
            method: .post,
            headers: headers,
            body: .init(bytes: try JSONEncoder().encode(try await metadata(changes)))
        )
        clientID = response.members["client_id"]?.string ?? clientID
        token = response.members["registration_access_token"]?.string ?? token
        return response
    }

    /// Deletes the registration.
    func deregister() async throws -> TestResponse {
        try await identity.client.execute(
            uri: "/register/\(clientID)",
            method: .delete,
            headers: [.authorization: "Bearer \(token)"]
        )
    }

    /// Posts a form that the device authenticates with its key.
    ///
    /// - Parameter lifetime: The lifetime of the assertion, in seconds.
    func post(
        _ path: String,
        _ form: [String: String],
        userAgent: String = Self.userAgent,
        lifetime: Int64 = 60
    ) async throws -> TestResponse {
        let now = Int64(identity.clock.now.timeIntervalSince1970)
        let claims: [String: JsonValue] = [
            "iss": .string(clientID), "sub": .string(clientID), "aud": "http://127.0.0.1",
            "jti": .string(UUID().uuidString), "iat": .integer(now), "exp": .integer(now + lifetime),
        ]
        var form = form
        form["client_id"] = clientID
        form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        form["client_assertion"] = try JsonWebSignature.sign(claims, with: proof.key)
        return try await identity.client.execute(
            uri: path,
            method: .post,
            headers: [.contentType: "application/x-www-form-urlencoded", .userAgent: userAgent],
            body: .init(string: FormParameters(form).query)
        )
    }

    /// Requests a token of the device itself.
    func clientCredentials(_ form: [String: String] = [:]) async throws -> TestResponse {
        try await post("/token", ["grant_type": "client_credentials"].merging(form) { $1 })
    }

    /// Requests an implicit token.
    func implicitToken(_ user: String? = "alice", _ form: [String: String] = [:]) async throws -> TestResponse {
        var form = form
        form["grant_type"] = Self.implicitGrant
        form["sub"] = user
        return try await post("/token", form)
    }

    /// Signs alice in with a browser, and returns the response with her tokens.
    func signIn(scope: String = "openid offline_access accounts") async throws -> TestResponse {
        let code = try await identity.code(["client_id": clientID, "scope": scope])
        return try await post(
            "/token",
            [
                "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI,
                "code_verifier": TestIdentity.verifier,
            ]
        )
    }

    /// Requests a resource.
    func get(_ path: String, _ token: String?, userAgent: String = Self.userAgent) async throws -> TestResponse {
        var headers: HTTPFields = [.userAgent: userAgent]
        headers[.authorization] = token.map { "Bearer \($0)" }
        return try await identity.client.execute(uri: path, method: .get, headers: headers)
    }
}

extension TestResponse {
    /// The `reason` of an error response.
    var reason: String? { members["reason"]?.string }
    /// The access token of a token response.
    var accessToken: String { members["access_token"]?.string ?? "" }
}
