import Crypto
import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTesting
import SallyportTransport

@testable import SallyportJourney

/// A push server without a network, a client, and messages that the server signs.
struct PushFixture: Sendable {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let device = PushDevice(token: "device-token", name: "laptop", type: "ios", communicationType: "apns")

    let server: MockTransport
    let records: MemoryMechanismStore
    let clock: Locked<Date>
    let push: PushClient
    /// The actions of the requests.
    let actions = ActionRecorder()
    let secret: Data

    /// - Parameters:
    ///   - secret: The secret that the server issues.
    ///   - response: The response to each request.
    init(secret: Data = Data(repeating: 7, count: 32), _ response: MockResponse = .json("{}")) {
        let clock = Locked(Self.now)
        server = MockTransport { _ in response }
        records = MemoryMechanismStore()
        self.clock = clock
        self.secret = secret
        push = Self.client(records, server, clock, actions)
    }

    /// Returns a client of the same store, such as that of another process.
    func otherClient(owner: String = "alice") -> PushClient {
        Self.client(records, server, clock, actions, owner: owner)
    }

    private static func client(
        _ records: MemoryMechanismStore,
        _ server: MockTransport,
        _ clock: Locked<Date>,
        _ actions: ActionRecorder,
        owner: String = "alice"
    ) -> PushClient {
        PushClient(
            store: records,
            owner: owner,
            httpClient: HttpClient.createClient { config in
                config.transport = server
                config.addInterceptor(actions)
            },
            clock: TimeSource(now: { .zero }, date: { clock.withLock { $0 } }, sleep: { _ in })
        )
    }

    /// Returns the URI of an enrollment.
    ///
    /// - Parameter changes: Parameters that replace others; `nil` removes one.
    func uri(_ start: String = "pushauth://push/Example:alice", _ changes: [String: String?] = [:]) -> String {
        var parameters: [String: String] = [
            "s": Base64Url.encode(secret), "c": Base64Url.encode(Self.challenge), "m": "REGISTER:1",
            "r": Self.encode("https://id.example.com/am/json/push/sns/message?_action=register"),
            "a": Self.encode("https://id.example.com/am/json/push/sns/message?_action=authenticate"),
            "l": Self.encode("amlbcookie=01"), "b": "032b75", "issuer": Self.encode("Example"),
            "image": "https%3A%2F%2Fid.example.com%2Flogo.png",
        ]
        for (name, value) in changes { parameters[name] = value }
        let pairs = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return start + "?" + pairs.joined(separator: "&")
    }

    /// Enrolls the device and forgets the request.
    @discardableResult
    func enroll() async throws -> PushMechanism { try await push.enroll(uri(), device: Self.device) }

    /// Returns the claims of a message.
    func claims(for mechanism: PushMechanism, _ changes: [String: JsonValue?] = [:]) -> [String: JsonValue] {
        var claims: [String: JsonValue] = [
            "u": .string(mechanism.id), "c": .string(Self.challenge.base64EncodedString()), "t": "120",
            "i": .string(String(Int64(Self.now.timeIntervalSince1970 * 1000))), "m": "Sign in at Example?",
            "l": .string(Data("amlbcookie=02".utf8).base64EncodedString()),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    /// Returns a signed message.
    func message(for mechanism: PushMechanism, _ changes: [String: JsonValue?] = [:]) throws -> String {
        try JsonWebSignature.sign(claims(for: mechanism, changes), sharedSecret: secret)
    }

    /// Returns the verified claims of the JWT in the last request.
    func sentClaims() throws -> [String: JsonValue] {
        guard let request = server.requests.last,
            let body = try? JSONDecoder().decode([String: String].self, from: request.body), let jwt = body["jwt"]
        else { return [:] }
        let signature = try JsonWebSignature(parsing: jwt)
        try signature.verify(sharedSecret: secret)
        return try signature.claims()
    }

    /// The response to the challenge of every message of this fixture.
    var response: JsonValue {
        let code = HMAC<SHA256>.authenticationCode(for: Self.challenge, using: SymmetricKey(data: secret))
        return .string(Data(code).base64EncodedString())
    }

    static let challenge = Data((0..<32).map { UInt8($0 * 7 % 256) })

    static func encode(_ text: String) -> String { Base64Url.encode(Data(text.utf8)) }
}
