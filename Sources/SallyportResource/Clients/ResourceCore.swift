import Foundation
import Sallyport
import SallyportOAuth
import SallyportTransport

/// Sends resource calls of all kinds.
final class ResourceCore: Sendable {
    let identity: DeviceIdentity
    let integrity: DeviceIntegrity
    private let configuration: CheckedConfiguration
    private let clients: CallClients

    init(
        _ configuration: CheckedConfiguration,
        http: HttpClient,
        identity: DeviceIdentity,
        integrity: DeviceIntegrity
    ) {
        self.configuration = configuration
        self.identity = identity
        self.integrity = integrity
        clients = CallClients(http, identity: identity, origins: configuration.origins)
    }

    /// Returns the request to send, after all of its values have been checked.
    ///
    /// - Throws: ``ResourceError`` for an invalid value.
    func prepare(_ request: ResourceRequest, as call: ResourceCall) throws(ResourceError) -> HttpRequest {
        do throws(ResourceError) {
            return try request.httpRequest(at: configuration.address)
        } catch {
            throw error.of(call)
        }
    }

    /// Checks the device, sends a request with the token for the kind of call, and returns the complete response.
    ///
    /// - Throws: ``ResourceError``, with the response if its status is not 200 to 299.
    func send(_ request: HttpRequest, as call: ResourceCall) async throws(ResourceError) -> ResourceResponse {
        do throws(ResourceError) {
            try checkIntegrity()
            let client = try clients.client(for: call)
            let response = try await exchange(request, by: client, as: call)
            if let error = failure(in: response, of: call) { throw error }
            return ResourceResponse(response)
        } catch {
            throw error.of(call)
        }
    }

    private func checkIntegrity() throws(ResourceError) {
        do throws(IntegrityError) {
            try integrity.check()
        } catch {
            throw ResourceError(error)
        }
    }

    // MARK: Exchange

    private func exchange(
        _ request: HttpRequest,
        by client: HttpClient,
        as call: ResourceCall
    ) async throws(ResourceError) -> HttpResponse {
        var request = request
        let limit = Duration.seconds(configuration.model.requestTimeout)
        // The stages of the client know the time that is left. The phases of a new connection have their own limits.
        var timeouts = client.configuration.timeouts
        timeouts.total = limit
        timeouts.head = nil
        timeouts.idle = nil
        request.timeouts = timeouts
        let timeout = NetworkError.timeout(
            NetworkFailure(
                "the call took longer than its limit of \(Quantity.time(limit))",
                request: request.description,
                advice: "raise the requestTimeout of the configuration if the server needs longer"
            )
        )
        do {
            let task = NetworkTask.current
            return try await withTimeLimit(limit, clock: task?.clock ?? .system, orThrow: timeout) { [request] in
                try await withExchangeScope { scope in
                    try await client.perform(request, in: scope, pauses: task?.pauses)
                        .collected(upTo: client.configuration.maximumBodySize)
                }
            }
        } catch let error as ResourceError {
            throw error
        } catch {
            let network = NetworkError(wrapping: error, reason: "the call failed").naming(request.description)
            throw await failure(of: network, in: call)
        }
    }

    // MARK: Failures

    /// Returns the failure that a response states; `nil` for a status of 200 to 299.
    private func failure(in response: HttpResponse, of call: ResourceCall) -> ResourceError? {
        if (200...299).contains(response.status.code) { return nil }
        let kept = ResourceResponse(response)
        // Other servers have no authority over the app version: their reports would refuse calls to all servers.
        if configuration.versionOrigins.contains(response.request),
            let finding = integrity.recordReport(in: response)
        {
            var error = ResourceError(finding)
            error.response = kept
            return error
        }
        let request = response.request.description
        if let reason = call.notAuthenticated, response.refusesToken {
            let failure = NetworkFailure(
                "the server does not accept the token",
                request: request,
                advice: "authenticate again"
            )
            return ResourceError(reason, failure, of: call, response: kept)
        }
        var failure = NetworkFailure("the server responded with status \(response.status.code)", request: request)
        if response.getHeader(name: "Payload-Encryption-Error") == PayloadRefusal.encryptionRequired.rawValue {
            failure.advice = "the resource accepts only encrypted requests; set serverPublicKey in the configuration"
        }
        return ResourceError(.status, failure, of: call, response: kept)
    }

    private func failure(of network: NetworkError, in call: ResourceCall) async -> ResourceError {
        let inner = (network.failure.underlying as? ResourceError)?.of(call)
        let failure = inner ?? self.failure(of: DeviceIdentityError(wrapping: network), in: call)
        guard failure.reason == .deviceNotAuthenticated else { return failure }
        // A device that has no tokens may not be registered at all.
        do throws(DeviceIdentityError) {
            if try await identity.registration() != nil { return failure }
            return self.failure(of: .notRegistered(DeviceIdentityError.unregistered), in: call)
        } catch {
            return self.failure(of: error, in: call)
        }
    }

    /// Returns the error of a call, and records the version that the server reports as outdated, if any.
    private func failure(of error: DeviceIdentityError, in call: ResourceCall) -> ResourceError {
        if let refusal = error.failure.underlying as? OAuthError {
            integrity.recordReport(status: refusal.status, body: refusal.body)
        }
        return ResourceError(error, of: call, at: identity.configuration.clock.date())
    }

    // MARK: Authentication

    /// Authenticates the device, and registers it first if necessary.
    func authenticateDevice(scopes: [String]) async throws(ResourceError) {
        try await authenticate(.anonymous) { identity async throws(DeviceIdentityError) in
            try await identity.authenticateDevice(scopes: scopes)
        }
    }

    /// Authenticates a user who is registered on this device, for the implicit calls from now on.
    func implicitlyAuthenticate(user: String, scopes: [String]) async throws(ResourceError) {
        try await authenticate(.implicit) { identity async throws(DeviceIdentityError) in
            try await identity.implicitlyAuthenticate(user: user, scopes: scopes)
        }
        clients.setImplicitUser(user)
    }

    /// Signs a user in, and registers the user on this device.
    ///
    /// - Returns: The subject identifier of the user.
    func registerUser(with signIn: some DeviceSignIn, scopes: [String]) async throws(ResourceError) -> String {
        try await authenticate(.authenticated) { identity async throws(DeviceIdentityError) in
            try await identity.registerUser(with: signIn, scopes: scopes)
        }
    }

    /// Returns the tokens of the user who has signed in; `nil` if there are none.
    func userTokens() async throws(ResourceError) -> OAuthTokens? {
        do throws(OAuthSessionError) {
            return try await identity.userSession.current()
        } catch {
            throw failure(of: DeviceIdentityError(wrapping: error), in: .authenticated)
        }
    }

    private func authenticate<Value: Sendable>(
        _ call: ResourceCall,
        _ body: (DeviceIdentity) async throws(DeviceIdentityError) -> Value
    ) async throws(ResourceError) -> Value {
        do throws(ResourceError) {
            try checkIntegrity()
        } catch {
            throw error.of(call)
        }
        return try await useIdentity(for: call, body)
    }

    // MARK: Registered users and the device

    /// Returns the users who are registered on this device.
    func registeredUsers() async throws(ResourceError) -> [String] {
        try await useIdentity(for: .authenticated) { identity async throws(DeviceIdentityError) in
            try await identity.registeredUsers()
        }
    }

    /// Deregisters a user from this device.
    func deregisterUser(_ user: String) async throws(ResourceError) {
        try await useIdentity(for: .authenticated) { identity async throws(DeviceIdentityError) in
            try await identity.deregisterUser(user)
        }
    }

    /// Deregisters the device, and removes all stored data.
    func resetDevice(locally: Bool) async throws(ResourceError) {
        try await useIdentity(for: .anonymous) { identity async throws(DeviceIdentityError) in
            try await identity.reset(locally: locally)
        }
    }

    /// Calls a closure with the identity, without a check of the device: a registration can always be ended.
    private func useIdentity<Value: Sendable>(
        for call: ResourceCall,
        _ body: (DeviceIdentity) async throws(DeviceIdentityError) -> Value
    ) async throws(ResourceError) -> Value {
        do throws(DeviceIdentityError) {
            return try await body(identity)
        } catch {
            throw failure(of: error, in: call)
        }
    }
}

extension HttpResponse {
    /// A Boolean value that indicates whether the server refused the token of the request (RFC 6750, section 3.1).
    fileprivate var refusesToken: Bool {
        guard status == .unauthorized else { return false }
        let challenges = AuthenticationChallenge.all(in: getHeaders(name: "WWW-Authenticate"))
        return challenges.contains { challenge in
            ["bearer", "dpop"].contains(challenge.scheme) && challenge.parameters["error"] == "invalid_token"
        }
    }
}
