import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage

/// The client of your app for resource calls: as a user, an implicit user, the device, or without a token.
///
/// ```swift
/// try ResourceClient.configure(ConfigModel(contentsOf: file))
/// let request = ResourceRequestFactory.makeResourceRequest(path: "accounts")
/// let response = try await SharedUserClient.instance.sendAuthenticatedRequest(request)
/// ```
///
/// ``configure(_:stores:http:)`` creates the client behind ``SharedUserClient`` and ``SharedDeviceClient``. An app can also create clients
/// itself, for example one for each server.
///
/// All requests, including those for tokens and registrations, are sent by one HTTP client. It requires https and, unless
/// ``ConfigModel/allowsUnpinnedHosts`` is set, enforced pins that have not expired for each configured host, and it sends nothing to
/// other servers. On Apple platforms the system may resume a TLS session of another client of the process, without presenting the
/// certificates; see `URLSessionTransport`. `URLSession` has no setting for this. Responses on such connections are refused, but the
/// request has been sent: use no other HTTP client in the process for the configured hosts.
///
/// Before each call, the enabled checks of ``DeviceIntegrity`` run. After a finding nothing is sent.
public final class ResourceClient: Sendable {
    /// The registration and the tokens of this device and its users.
    public var identity: DeviceIdentity { core.identity }

    /// The checks of the device.
    public var integrity: DeviceIntegrity { core.integrity }

    /// The client for calls as a user.
    public let userClient: UserClient

    /// The client for calls as the device, or without a token.
    public let deviceClient: DeviceClient

    let core: ResourceCore

    private static let shared = Locked<ResourceClient?>(nil)

    /// Creates a client. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - model: The settings.
    ///   - stores: The stores of the device's identity and the tokens; `nil` for the standard ones: the keychain on Apple platforms, and
    ///     otherwise files in `~/.config/` and the app identifier that only their owner can read.
    ///   - http: A closure that changes the settings of the HTTP client, for example trust roots, a proxy, a logger or interceptors. The
    ///     timeout and the `User-Agent` of the model replace its own, and its pins are added. Without ``ConfigModel/storeCookies``, the
    ///     cookie jar is removed; with it, the jar is for unauthenticated calls.
    /// - Throws: ``ResourceError/Reason/invalidConfiguration`` for the first invalid setting.
    public init(
        _ model: ConfigModel,
        stores: DeviceStores? = nil,
        http: (inout HttpClientConfiguration) throws -> Void = { _ in }
    ) throws(ResourceError) {
        let checked = try CheckedConfiguration(model)
        let client = HttpClient(configuration: try checked.httpConfiguration(http))
        let identity = DeviceIdentity(
            checked.deviceIdentity,
            // These requests have credentials of their own, and must not be authenticated by the cookies of another user.
            httpClient: client.derived { $0.cookieJar = nil },
            stores: stores ?? .standard(for: model.appIdentifier)
        )
        core = ResourceCore(
            checked,
            http: client,
            identity: identity,
            integrity: DeviceIntegrity(checked.integrityOptions)
        )
        userClient = UserClient(.of(core))
        deviceClient = DeviceClient(.of(core))
    }

    /// Creates a client from its parts, for tests.
    init(_ core: ResourceCore) {
        self.core = core
        userClient = UserClient(.of(core))
        deviceClient = DeviceClient(.of(core))
    }

    /// Creates the client of ``SharedUserClient`` and ``SharedDeviceClient``. A previous one is replaced; its running calls continue.
    ///
    /// The parameters are the same as for ``init(_:stores:http:)``.
    ///
    /// - Returns: The client.
    /// - Throws: ``ResourceError/Reason/invalidConfiguration``. The previous client then remains.
    @discardableResult
    public static func configure(
        _ model: ConfigModel,
        stores: DeviceStores? = nil,
        http: (inout HttpClientConfiguration) throws -> Void = { _ in }
    ) throws(ResourceError) -> ResourceClient {
        let client = try ResourceClient(model, stores: stores, http: http)
        shared.withLock { $0 = client }
        return client
    }

    /// Removes the client of ``SharedUserClient`` and ``SharedDeviceClient``. Their calls then fail with
    /// ``ResourceError/Reason/notConfigured``. Stored data remains.
    public static func removeConfiguration() {
        shared.withLock { $0 = nil }
    }

    /// Waits until no tokens are being refreshed. Call it before the program ends.
    ///
    /// - Parameter limit: The maximum time to wait; `nil` if only the limits of the refreshes apply.
    public func finish(within limit: Duration? = nil) async { await identity.finish(within: limit) }

    /// The core of the configured client.
    static func sharedCore() throws(ResourceError) -> ResourceCore {
        if let client = shared.withLock({ $0 }) { return client.core }
        throw ResourceError(
            .notConfigured,
            NetworkFailure("resource calls are not configured", advice: "call ResourceClient.configure first")
        )
    }
}

extension DeviceStores {
    /// Returns the standard stores for an app.
    fileprivate static func standard(for appIdentifier: String) -> DeviceStores {
        #if canImport(Security)
        // Clients that use the same keychain, for example after repeated calls of `configure`, change it one after the other.
        let folder = URL.homeDirectory.appending(path: "Library/Application Support/\(appIdentifier)")
        return .keychain(service: appIdentifier, lockFolder: folder)
        #else
        return .files(in: URL.homeDirectory.appending(path: ".config/\(appIdentifier)"))
        #endif
    }
}
