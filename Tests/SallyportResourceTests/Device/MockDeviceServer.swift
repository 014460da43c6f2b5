import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportResource
import SallyportStorage
import SallyportTesting

/// An identity server without a network, which registers devices as `Docs/resource-server.md` describes.
///
/// It accepts only proofs and assertions that are signed with the key of the device.
final class MockDeviceServer: Sendable {
    static let issuer = "https://id.example.com"

    private struct State: Sendable {
        /// The keys of the registered devices by client identifier.
        var keys: [String: JsonWebKey] = [:]
        /// The registered users by client identifier.
        var users: [String: [String]] = [:]
        var lastNumber = 0
        /// Responses that replace the next ones, by path.
        var replacements: [String: [MockResponse]] = [:]
        /// A closure that is called before a registration is processed.
        var onRegistration: @Sendable () async throws -> Void = {}
    }

    let transport: MockTransport
    private let state = Locked(State())

    /// Creates a server.
    ///
    /// - Parameter transport: The transport to which the routes of the server are added.
    init(_ transport: MockTransport = MockTransport()) {
        self.transport = transport
        let metadata: [String: JsonValue] = [
            "issuer": .string(Self.issuer), "token_endpoint": .string(Self.issuer + "/token"),
            "registration_endpoint": .string(Self.issuer + "/register"),
            "authorization_endpoint": .string(Self.issuer + "/authorize"),
            "revocation_endpoint": .string(Self.issuer + "/revoke"),
            "device_users_endpoint": .string(Self.issuer + "/users"),
        ]
        transport.on(.get, "/.well-known/openid-configuration", Self.json(metadata))
        route(.post, "/register") { [self] in try await register($0) }
        route(.delete, "/register/*") { [self] request in
            state.withLock { $0.keys[String(request.path.dropFirst("/register/".count))] = nil }
            return .status(204)
        }
        route(.post, "/token") { [self] in try await tokens($0) }
        route(.post, "/revoke") { _ in .status(200) }
        route(.post, "/users") { [self] request in
            let id = try await authenticate(request)
            let users = state.withLock { $0.users[id] ?? [] }
            return Self.json(["users": .array(users.map { ["sub": .string($0)] })])
        }
        route(.post, "/users/deregister") { [self] request in
            let id = try await authenticate(request)
            state.withLock { state in state.users[id]?.removeAll { $0 == request.fields["sub"] } }
            return Self.json([:])
        }
    }

    /// The identifiers of the registered devices.
    var clients: [String] { state.withLock { $0.keys.keys.sorted() } }

    /// Returns the number of requests for a path.
    func count(_ path: String) -> Int { transport.requests.count { $0.path == path } }

    /// Returns the forms that were posted to a path.
    func forms(_ path: String) -> [[String: String]] { transport.requests.filter { $0.path == path }.map(\.fields) }

    /// Replaces the next responses for a path.
    func replaceResponses(_ path: String, _ responses: MockResponse...) {
        state.withLock { $0.replacements[path, default: []] += responses }
    }

    /// Calls a closure before each registration is processed.
    func onRegistration(_ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.onRegistration = body }
    }

    /// Deregisters all devices.
    func deregisterDevices() { state.withLock { ($0.keys, $0.users) = ([:], [:]) } }

    /// Registers a user on a device, as a sign-in does.
    func add(_ user: String, to clientID: String) { state.withLock { $0.users[clientID, default: []].append(user) } }

    /// Deregisters a user from all devices.
    func remove(_ user: String) {
        state.withLock { state in state.users = state.users.mapValues { $0.filter { $0 != user } } }
    }

    /// Returns an identity of a device at this server.
    func identity(
        _ stores: DeviceStores = .memory(),
        version: String = "2.1.0",
        _ configure: (inout DeviceIdentityConfiguration) -> Void = { _ in }
    ) -> DeviceIdentity {
        var configuration = DeviceIdentityConfiguration(
            issuer: Self.issuer,
            appIdentifier: "com.example.app",
            appPlatform: "ios",
            appVersion: version
        )
        configuration.softwareStatement = "canary-statement"
        configuration.redirectURI = "com.example.app:/callback"
        configure(&configuration)
        let client = HttpClient.createClient { $0.transport = transport }
        return DeviceIdentity(configuration, httpClient: client, stores: stores)
    }

    /// Returns a sign-in that registers a user at this server.
    func signIn(_ user: String = "alice", hasIdToken: Bool = true) -> InstantSignIn {
        InstantSignIn(
            server: self,
            user: user,
            accessToken: "access-of-\(user)",
            refreshToken: "refresh-of-\(user)",
            hasIdToken: hasIdToken
        )
    }

    static func json(_ members: [String: JsonValue], status: Int = 200) -> MockResponse {
        let data = (try? JSONEncoder().encode(members)) ?? Data()
        return .json(String(decoding: data, as: UTF8.self), status: status)
    }

    static func refusal(_ error: String, reason: String? = nil, status: Int = 400) -> MockResponse {
        var members: [String: JsonValue] = ["error": .string(error)]
        members["reason"] = reason.map(JsonValue.string)
        return json(members, status: status)
    }

    private struct Refusal: Error { let response: MockResponse }

    private func route(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ answer: @escaping @Sendable (MockRequest) async throws -> MockResponse
    ) {
        transport.on(method, path) { [self] request in
            let replacement = state.withLock { state in
                state.replacements[path]?.isEmpty == false ? state.replacements[path]?.removeFirst() : nil
            }
            if let replacement { return replacement }
            do {
                return try await answer(request)
            } catch let refusal as Refusal {
                return refusal.response
            }
        }
    }

    private func register(_ request: MockRequest) async throws -> MockResponse {
        try await state.withLock { $0.onRegistration }()
        let members = try JSONDecoder().decode([String: JsonValue].self, from: request.body)
        let proof = try ProofOfPossession(verifying: request.header("DPoP") ?? "")
        try proof.check(method: "POST", url: request.url, at: Date())
        let key = JsonWebKey(members: members["jwks"]?["keys"]?.array?.first?.object ?? [:])
        guard try key.thumbprint() == proof.thumbprint, key.members["d"] == nil else {
            return Self.refusal("invalid_dpop_proof")
        }
        let (id, isNew) = try state.withLock { state in
            let known = try state.keys.first { try $0.value.thumbprint() == proof.thumbprint }
            if let known { return (known.key, false) }
            state.lastNumber += 1
            state.keys["device-\(state.lastNumber)"] = key
            return ("device-\(state.lastNumber)", true)
        }
        let response: [String: JsonValue] = [
            "client_id": .string(id), "token_endpoint_auth_method": "private_key_jwt",
            "registration_client_uri": .string("\(Self.issuer)/register/\(id)"),
            "registration_access_token": "canary-registration",
        ]
        return Self.json(response, status: isNew ? 201 : 200)
    }

    /// Returns the identifier of the client that has signed the assertion in a request.
    private func authenticate(_ request: MockRequest) async throws -> String {
        let fields = request.fields
        let id = fields["client_id"] ?? ""
        guard let key = state.withLock({ $0.keys[id] }) else {
            throw Refusal(response: Self.refusal("invalid_client", reason: "device_deregistered", status: 401))
        }
        let assertion = try JsonWebSignature(parsing: fields["client_assertion"] ?? "")
        try assertion.verify(with: key, allowing: [.es256])
        return id
    }

    private func tokens(_ request: MockRequest) async throws -> MockResponse {
        let id = try await authenticate(request)
        let fields = request.fields
        if fields["grant_type"] == "urn:sallyport:params:oauth:grant-type:implicit-authentication",
            state.withLock({ $0.users[id]?.contains(fields["sub"] ?? "") }) != true
        {
            return Self.refusal("invalid_grant", reason: "user_not_registered")
        }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        var members: [String: JsonValue] = [
            "access_token": .string("token-\(number)-of-\(fields["sub"] ?? id)"), "token_type": "Bearer",
            "expires_in": 300,
        ]
        members["scope"] = fields["scope"].map(JsonValue.string)
        return Self.json(members)
    }
}

extension MockRequest {
    /// The fields of a form.
    var fields: [String: String] {
        var components = URLComponents()
        components.percentEncodedQuery = text.replacing("+", with: "%20")
        return Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}

extension DeviceIdentityError {
    /// The name of the case, which the mirror does not show.
    var kind: String {
        switch self {
        case .notRegistered: "notRegistered"
        case .notValid: "notValid"
        case .notAuthenticated: "notAuthenticated"
        case .deregistered: "deregistered"
        case .userNotRegistered: "userNotRegistered"
        case .outdatedApp: "outdatedApp"
        case .outdatedSystem: "outdatedSystem"
        case .invalidConfiguration: "invalidConfiguration"
        case .refused: "refused"
        case .network: "network"
        case .store: "store"
        case .key: "key"
        case .signIn: "signIn"
        }
    }
}
