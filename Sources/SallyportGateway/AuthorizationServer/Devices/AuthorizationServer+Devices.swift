import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Gives a device its code, and the code to show (RFC 8628, section 3.1).
    func authorizeDevice(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let client = try await authenticate(request)
        guard client.allows(.deviceCode) else {
            throw OAuthRefusal(.unauthorizedClient, "The client is not registered for devices.")
        }
        let call = TokenCall(client: client, parameters: request.parameters, proofKey: nil)
        let scopes = try call.scopes(among: client.scopes, default: client.scopes)
        let deviceCode = Secret.random()
        let userCode = UserCode.random()
        let lifetimes = configuration.lifetimes
        let time = now()
        let end = time + lifetimes.deviceCode
        let device = DeviceAuthorization(
            client: client,
            scopes: scopes,
            userCode: userCode,
            interval: lifetimes.deviceInterval
        )
        guard userCodes.value(for: userCode, now: time) == nil else {
            throw OAuthRefusal(.temporarilyUnavailable, "The code that was chosen is in use. Try again.")
        }
        let waiting = PendingUserCode(key: SecretHash(deviceCode), clientID: client.id)
        userCodes.insert(waiting, for: userCode, until: end, now: time)
        // Kept longer than it is good for, so that the device learns why it gets nothing.
        devices.insert(device, for: SecretHash(deviceCode), until: end + 600, now: time)
        let page = issuer + "/device"
        let shown = UserCode.shown(userCode)
        return [
            "device_code": .string(deviceCode),
            "user_code": .string(shown),
            "verification_uri": .string(page),
            "verification_uri_complete": .string("\(page)?user_code=\(shown)"),
            "expires_in": .integer(Int64(lifetimes.deviceCode)),
            "interval": .integer(Int64(lifetimes.deviceInterval)),
        ]
    }

    /// Gives a device its tokens once somebody has approved it, or says why not yet (RFC 8628, section 3.5).
    func redeemDeviceCode(_ call: TokenCall) async throws(OAuthRefusal) -> [String: JsonValue] {
        let code = SecretHash(try call.parameters.require("device_code"))
        let time = now()
        guard let device = devices.value(for: code, now: time), device.client.id == call.client.id else {
            throw OAuthRefusal(.invalidGrant, "The device code is not known, or is another client's.")
        }
        let isEarly = device.lastPoll.map { time < $0 + device.interval } ?? false
        devices.update(code, now: time) { device in
            device.lastPoll = time
            if isEarly { device.interval += 5 }
        }
        switch device.decision {
        case .allowed(let grant):
            devices.remove(code)
            begin(grant)
            return try await firstTokens(grant, call)
        case .denied:
            devices.remove(code)
            throw OAuthRefusal(.accessDenied, "Somebody has said no.")
        case .pending where userCodes.value(for: device.userCode, now: time)?.key != code:
            devices.remove(code)
            throw OAuthRefusal(.expiredToken, "The code has ended before anybody approved it.")
        case .pending where isEarly:
            throw OAuthRefusal(.slowDown, "The device asks too often; it waits five seconds longer from now on.")
        case .pending:
            throw OAuthRefusal(.authorizationPending, "Nobody has approved it yet.")
        }
    }

    /// The device that shows a code and waits for an answer.
    func device(_ typed: String) -> (key: SecretHash, request: DeviceAuthorization)? {
        guard let key = userCodes.value(for: UserCode.normal(typed), now: now())?.key,
            let request = devices.value(for: key, now: now()), case .pending = request.decision
        else { return nil }
        return (key, request)
    }

    /// The same for somebody who types it, and who can guess so often and no more.
    func device(typed: String, by session: BrowserSession) -> (key: SecretHash, request: DeviceAuthorization)? {
        let name = session.user.username
        guard !guesses.isReached(by: name, now: now()) else { return nil }
        guard let found = device(typed) else {
            guesses.count(name, now: now())
            return nil
        }
        return found
    }

    /// Keeps what somebody has decided about a device.
    ///
    /// - Returns: Whether the device still waits for it.
    func decide(device key: SecretHash, allowed: Bool, by session: BrowserSession) -> Bool {
        let decided = devices.update(key, now: now()) { device -> String? in
            guard case .pending = device.decision else { return nil }
            device.decision =
                allowed ? .allowed(session.grant(to: device.client, scopes: device.scopes, nonce: nil)) : .denied
            return device.userCode
        }
        guard let code = decided ?? nil else { return false }
        userCodes.remove(code)
        return true
    }
}
