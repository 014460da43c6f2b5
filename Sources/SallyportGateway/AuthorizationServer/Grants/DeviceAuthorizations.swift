import Foundation
import SallyportJOSE

/// Issues device codes and user codes, and redeems them once a user has decided (RFC 8628).
final class DeviceAuthorizations {
    private let context: ServerContext
    private let grants: GrantTable
    private var devices = ExpiringTable<SecretHash, GatewayDeviceAuthorization>(limit: 4096) { $1.client.id }
    private var userCodes = ExpiringTable<String, PendingUserCode>(limit: 4096) { $1.clientID }
    /// The attempts of each user to enter a user code.
    private var guesses: AttemptLimit

    init(_ context: ServerContext, grants: GrantTable) {
        self.context = context
        self.grants = grants
        guesses = AttemptLimit(limit: 10, period: 600, users: context.configuration.users.map(\.username))
    }

    /// Issues a device code and a user code (RFC 8628, section 3.1).
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - parameters: The parameters of the request.
    ///   - issuerPath: The path at the end of the issuer identifier of the tokens.
    func begin(
        _ client: GatewayClient,
        _ parameters: FormParameters,
        issuerPath: String
    ) throws(OAuthRefusal) -> [String: JsonValue] {
        guard client.allows(.deviceCode) else {
            throw OAuthRefusal(.unauthorizedClient, "The client is not registered for the device grant.")
        }
        let request = TokenRequest(client: client, parameters: parameters, proofKey: nil, issuerPath: issuerPath)
        let scopes = try request.scopes(among: client.scopes, default: client.scopes)
        let deviceCode = Secret.random()
        let userCode = UserCode.random()
        let lifetimes = context.lifetimes
        let now = context.now
        let end = now + lifetimes.deviceCode
        let device = GatewayDeviceAuthorization(
            client: client,
            scopes: scopes,
            userCode: userCode,
            issuerPath: issuerPath,
            interval: lifetimes.deviceInterval
        )
        guard userCodes.value(for: userCode, now: now) == nil else {
            throw OAuthRefusal(.temporarilyUnavailable, "The generated user code is in use. Try again.")
        }
        let pending = PendingUserCode(device: SecretHash(deviceCode), clientID: client.id)
        userCodes.insert(pending, for: userCode, until: end, now: now)
        // Stored for ten minutes after its expiry, so that the device receives `expired_token` when it polls.
        devices.insert(device, for: SecretHash(deviceCode), until: end + 600, now: now)
        let page = context.issuer + "/device"
        let formatted = UserCode.formatted(userCode)
        return [
            "device_code": .string(deviceCode),
            "user_code": .string(formatted),
            "verification_uri": .string(page),
            "verification_uri_complete": .string("\(page)?user_code=\(formatted)"),
            "expires_in": .integer(Int64(lifetimes.deviceCode)),
            "interval": .integer(Int64(lifetimes.deviceInterval)),
        ]
    }

    /// Removes a device code that a user has approved, and begins its grant (RFC 8628, section 3.5).
    ///
    /// - Throws: The refusal for the device, such as `authorization_pending` while no user has decided.
    func redeem(_ request: TokenRequest) throws(OAuthRefusal) -> Grant {
        let code = SecretHash(try request.parameters.require("device_code"))
        let now = context.now
        guard let device = devices.value(for: code, now: now), device.client.id == request.client.id,
            device.issuerPath == request.issuerPath
        else {
            throw OAuthRefusal(.invalidGrant, "The device code is unknown, or belongs to another client or issuer.")
        }
        let isEarly = device.lastPoll.map { now < $0 + device.interval } ?? false
        devices.update(code, now: now) { device in
            device.lastPoll = now
            if isEarly { device.interval += 5 }
        }
        switch device.decision {
        case .allowed(let grant):
            devices.remove(code)
            grants.begin(grant)
            return grant
        case .denied:
            devices.remove(code)
            throw OAuthRefusal(.accessDenied, "The user has denied the request.")
        case .pending where userCodes.value(for: device.userCode, now: now)?.device != code:
            devices.remove(code)
            throw OAuthRefusal(.expiredToken, "The device code expired before a user approved it.")
        case .pending where isEarly:
            throw OAuthRefusal(.slowDown, "The device polls too often. The interval is now five seconds longer.")
        case .pending:
            throw OAuthRefusal(.authorizationPending, "No user has approved the request yet.")
        }
    }

    /// Returns the device that a user code belongs to, if it waits for a decision; otherwise `nil`.
    func pending(_ typed: String) -> (code: SecretHash, authorization: GatewayDeviceAuthorization)? {
        let now = context.now
        guard let code = userCodes.value(for: UserCode.normalized(typed), now: now)?.device,
            let authorization = devices.value(for: code, now: now), case .pending = authorization.decision
        else { return nil }
        return (code, authorization)
    }

    /// Returns the device that a user code belongs to, if it waits for a decision; otherwise `nil`. The failed attempts of each
    /// user are limited.
    func pending(
        _ typed: String,
        typedBy session: UserSession
    ) -> (code: SecretHash, authorization: GatewayDeviceAuthorization)? {
        let name = session.user.username
        let now = context.now
        guard !guesses.isReached(by: name, now: now) else { return nil }
        guard let found = pending(typed) else {
            guesses.count(name, now: now)
            return nil
        }
        return found
    }

    /// Stores a user's decision about a device.
    ///
    /// - Returns: `true` if the device was waiting for a decision.
    func decide(_ code: SecretHash, isAllowed: Bool, by session: UserSession) -> Bool {
        let decided = devices.update(code, now: context.now) { device -> String? in
            guard case .pending = device.decision else { return nil }
            let grant = session.grant(
                to: device.client,
                scopes: device.scopes,
                nonce: nil,
                issuerPath: device.issuerPath
            )
            device.decision = isAllowed ? .allowed(grant) : .denied
            return device.userCode
        }
        guard let userCode = decided ?? nil else { return false }
        userCodes.remove(userCode)
        return true
    }
}

/// A device authorization request (RFC 8628, section 3.1).
struct GatewayDeviceAuthorization: Sendable {
    enum Decision: Sendable {
        case pending
        case denied
        case allowed(Grant)
    }

    let client: GatewayClient
    let scopes: [String]
    let userCode: String
    /// The path at the end of the issuer identifier of the tokens; see ``EndpointPaths/issuer``.
    let issuerPath: String
    var decision = Decision.pending
    /// The minimum time between two polls of the device, in seconds.
    var interval: TimeInterval
    var lastPoll: Date?
}

private struct PendingUserCode: Sendable {
    /// The hash of the device code.
    let device: SecretHash
    let clientID: String
}

/// The format of user codes: eight consonants that are not easily confused. Users can omit the dash and use lowercase letters.
enum UserCode {
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")

    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<8).map { _ in letters[Int.random(in: letters.indices, using: &generator)] })
    }

    /// Returns a code with a dash, for display.
    static func formatted(_ code: String) -> String {
        "\(code.prefix(4))-\(code.dropFirst(4))"
    }

    /// Returns the letters of a typed code in upper case.
    static func normalized(_ typed: String) -> String {
        String(typed.prefix(64).uppercased().filter { $0.isASCII && $0.isLetter })
    }
}
