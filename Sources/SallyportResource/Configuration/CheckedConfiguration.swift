import Foundation
import Sallyport
import SallyportOAuth
import SallyportTransport

/// The checked settings of a ``ConfigModel``, and the configurations that are derived from them.
struct CheckedConfiguration: Sendable {
    let model: ConfigModel
    /// The origins that requests may go to.
    let origins: OriginSet
    /// The address for paths of requests.
    let address: ResourceAddress
    /// The origins of the base URL and the resource base URL. Their servers state which app versions are outdated.
    let versionOrigins: OriginSet
    /// The origin of the resource base URL. Requests to it are encrypted.
    private let resourceOrigin: OriginSet
    /// The key of payload encryption, if it is used.
    let payloadKey: PayloadServerKey?
    /// The URL of the handshake of payload encryption.
    let handshakeURL: String
    /// The pins of ``ConfigModel/certificates`` and ``ConfigModel/pins``.
    let pins: CertificatePins

    /// Checks settings.
    ///
    /// - Throws: ``ResourceError/Reason/invalidConfiguration`` for the first invalid value.
    init(_ model: ConfigModel) throws(ResourceError) {
        self.model = model
        try Self.checkNames(of: model)
        for (name, url) in Self.urls(of: model) { try Self.check(url, name) }
        let all = Self.urls(of: model).map(\.url)
        do throws(NetworkError) {
            origins = try OriginSet(all)
            versionOrigins = try OriginSet([model.baseURL, model.resourceBaseURL])
            resourceOrigin = try OriginSet([model.resourceBaseURL])
            pins = try Self.pins(of: model, hosts: all)
        } catch {
            throw ResourceError(.invalidConfiguration, error.failure)
        }
        address = ResourceAddress(base: model.resourceBaseURL, origins: origins)
        do throws(PayloadEncryptionError) {
            payloadKey = try model.serverPublicKey.map { (text) throws(PayloadEncryptionError) in
                try PayloadServerKey(parsing: text)
            }
        } catch {
            throw ConfigModel.invalid("the serverPublicKey is invalid: \(error)", "use a JSON Web Key or PEM")
        }
        do throws(ResourceError) {
            let handshake = model.payloadHandshakeURL ?? Self.handshakePath
            let isPathAtOrigin = handshake.hasPrefix("/") && !handshake.hasPrefix("//")
            handshakeURL = try address.url(of: isPathAtOrigin ? "\(resourceOrigin)\(handshake)" : handshake)
        } catch {
            throw ConfigModel.invalid(
                "the payloadHandshakeURL is invalid: \(error.failure.reason)",
                "use a path such as \(Self.handshakePath), or a URL of a configured server"
            )
        }
        if let issuer = model.issuer { try Self.check(issuer: issuer, in: origins) }
        if let redirect = model.redirectURL { try Self.check(redirectURL: redirect) }
        guard model.requestTimeout > 0, model.requestTimeout < 1e9 else {
            throw ConfigModel.invalid(
                "the requestTimeout of \(model.requestTimeout) seconds is not more than 0 and less than 1000000000",
                "use a value such as 30"
            )
        }
        guard model.deviceConfigurationCacheDuration.isFinite else {
            throw ConfigModel.invalid("the deviceConfigurationCacheDuration is not finite", "use a value such as 300")
        }
    }

    /// The standard path of the handshake; see `Docs/payload-encryption.md`.
    private static let handshakePath = "/api/v1/payload/handshake"

    private static func urls(of model: ConfigModel) -> [(name: String, url: String)] {
        [("baseURL", model.baseURL), ("resourceBaseURL", model.resourceBaseURL)]
            + model.additionalResourceURLs.map { ("additionalResourceURLs", $0) }
    }

    /// Checks the names that are sent in `User-Agent` and in the registration; see `Docs/resource-server.md`.
    private static func checkNames(of model: ConfigModel) throws(ResourceError) {
        let names = [
            ("appIdentifier", model.appIdentifier), ("appPlatform", model.appPlatform),
            ("appVersion", model.appVersion),
        ]
        for (name, value) in names {
            let isValid = value.utf8.allSatisfy { $0.isAlphanumeric || ".-_".utf8.contains($0) }
            guard isValid, value.utf8.first?.isAlphanumeric == true else {
                throw ConfigModel.invalid(
                    "the \(name) \"\(VisibleText.line(value, longest: 100))\" is invalid",
                    "use letters, digits, dots, hyphens and underscores, and begin with a letter or digit"
                )
            }
        }
    }

    private static func check(_ url: String, _ name: String) throws(ResourceError) {
        let shown = "the \(name) \"\(VisibleText.line(Redaction.text(url), longest: 200))\""
        do throws(NetworkError) {
            _ = try RequestTarget(url: url)
        } catch {
            throw ConfigModel.invalid(
                "\(shown) is invalid: \(error.failure.reason)",
                "use an https URL such as https://api.example.com/"
            )
        }
        guard RequestTarget.scheme(of: url) == "https" else {
            throw ConfigModel.invalid("\(shown) is not https", "resource calls are always sent over TLS; use https")
        }
        guard !url.contains("?"), !url.contains("#") else {
            throw ConfigModel.invalid("\(shown) has a query or a fragment", "use a URL without them")
        }
        // Servers differ in what such a path names, and relative paths are checked against it.
        let names = url.utf8.split(separator: UInt8(ascii: "/")).flatMap { PercentEncoding.names(inSegment: $0) }
        if names.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
            throw ConfigModel.invalid("\(shown) has \".\" or \"..\" as a segment", "write the path without them")
        }
    }

    private static func check(issuer: String, in origins: OriginSet) throws(ResourceError) {
        try check(issuer, "issuer")
        guard origins.contains(issuer) else {
            throw ConfigModel.invalid(
                "the issuer is not at a configured server: only \(origins) are allowed",
                "use the origin of baseURL, or add the server to additionalResourceURLs, and pins for its host"
            )
        }
    }

    private static func check(redirectURL: String) throws(ResourceError) {
        guard URL(string: redirectURL)?.scheme != nil, !redirectURL.contains("#") else {
            throw ConfigModel.invalid(
                "the redirectURL \"\(VisibleText.line(redirectURL, longest: 200))\" is not an absolute URI without a fragment",
                "use one that is registered for the app, such as com.example.app:/callback"
            )
        }
    }

    private static func pins(of model: ConfigModel, hosts urls: [String]) throws(NetworkError) -> CertificatePins {
        var pins = CertificatePins()
        var certificatePins: [CertificatePin] = []
        for pem in model.certificates {
            do throws(NetworkError) {
                certificatePins += try CertificatePin.all(certificatesPEM: pem)
            } catch {
                throw .invalidRequest(
                    NetworkFailure(
                        "the certificates of the configuration are invalid: \(error.failure.reason)",
                        advice: "each element is the text of certificates in PEM, not the name of a file"
                    )
                )
            }
        }
        if !certificatePins.isEmpty {
            for host in Set(try hosts(of: urls)).sorted() {
                try pins.pin(try HostPattern(host), to: certificatePins, until: model.pinExpiry)
            }
        }
        for (host, texts) in model.pins.sorted(by: { $0.key < $1.key }) {
            if texts.isEmpty {
                throw .invalidRequest(
                    NetworkFailure(
                        "the pins of the host \"\(VisibleText.line(host, longest: 100))\" are an empty array",
                        advice: "add pins such as sha256/…, or remove the host from the pins"
                    )
                )
            }
            try pins.pin(host, to: texts, until: model.pinExpiry)
        }
        return pins
    }

    /// Returns the hosts of URLs, in ASCII.
    fileprivate static func hosts(of urls: [String]) throws(NetworkError) -> [String] {
        var hosts: [String] = []
        for url in urls { hosts.append(try Origin(of: HttpRequest(url: url).head()).host) }
        return hosts
    }
}

extension CheckedConfiguration {
    /// Returns the settings of the HTTP client that sends all requests: resource calls, token requests and handshakes.
    ///
    /// - Parameter customize: The caller's closure. It changes the settings first, for example trust roots, a proxy or a logger.
    /// - Throws: ``ResourceError/Reason/invalidConfiguration`` if a host has no enforced pins, or the closure throws an error.
    func httpConfiguration(
        _ customize: (inout HttpClientConfiguration) throws -> Void
    ) throws(ResourceError) -> HttpClientConfiguration {
        var config = HttpClientConfiguration()
        do {
            try customize(&config)
        } catch let error as NetworkError {
            throw ResourceError(.invalidConfiguration, error.failure)
        } catch {
            // The text of the error is not repeated, because it may contain a secret, such as the password of a proxy.
            let reason = "the settings of the HTTP client failed: \(type(of: error))"
            throw ResourceError(.invalidConfiguration, NetworkFailure(reason, underlying: error))
        }
        if let transport = config.transport, !(transport is any PinningTransport), !model.allowsUnpinnedHosts {
            throw ConfigModel.invalid(
                "the transport \(type(of: transport)) does not support pins",
                "use a PinningTransport, or set allowsUnpinnedHosts"
            )
        }
        config.pins = config.pins.adding(pins)
        try checkPins(of: config)
        // These settings apply whatever the caller's closure has set.
        config.allowsPlainHTTP = false
        config.timeouts.total = .seconds(model.requestTimeout)
        if !model.storeCookies { config.cookieJar = nil }
        let userAgent = userAgent
        config.onRequest { $0.setHeader(name: NetworkConstants.headerUserAgent, value: userAgent) }
        // A request that waits after it was encrypted may be refused, because its session ends meanwhile.
        config.sealing.insert(SuspensionInterceptor(), at: 0)
        if let payloadKey {
            config.sealing.append(PayloadEncryption(payloadKey, for: resourceOrigin, handshakeURL: handshakeURL))
        }
        config.addWireInterceptor(DispatchInterceptor())
        config.addWireInterceptor(OriginGuard(origins: origins))
        return config
    }

    private func checkPins(of config: HttpClientConfiguration) throws(ResourceError) {
        do throws(NetworkError) {
            for host in try Self.hosts(of: Self.urls(of: model).map(\.url)) {
                guard config.pins.areEnforced(for: host) else {
                    if model.allowsUnpinnedHosts { continue }
                    throw .invalidRequest(
                        NetworkFailure(
                            "the host \(host) has no enforced pins",
                            advice: "add its certificates or pins to the configuration, or set allowsUnpinnedHosts"
                        )
                    )
                }
                try config.pins.checkExpiry(for: host)
            }
        } catch {
            throw ResourceError(.invalidConfiguration, error.failure)
        }
    }

    /// The value of `User-Agent`; see `Docs/resource-server.md`.
    private var userAgent: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let system = "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        let sdk = "sallyport/\(NetworkConstants.sdkVersion)"
        return "\(model.appIdentifier)/\(model.appVersion) (\(model.appPlatform) \(system)) \(sdk)"
    }

    /// The settings of the device's identity.
    var deviceIdentity: DeviceIdentityConfiguration {
        let base = model.baseURL.hasSuffix("/") ? String(model.baseURL.dropLast()) : model.baseURL
        var configuration = DeviceIdentityConfiguration(
            issuer: model.issuer ?? base,
            appIdentifier: model.appIdentifier,
            appPlatform: model.appPlatform,
            appVersion: model.appVersion
        )
        configuration.softwareStatement = model.softwareStatement
        configuration.redirectURI = model.redirectURL
        return configuration
    }

    /// The checks of the device.
    var integrityOptions: IntegrityOptions {
        let lifetime = min(max(model.deviceConfigurationCacheDuration, 0), 1e9)
        return IntegrityOptions(checks: model.integrityChecks, reportLifetime: .seconds(lifetime))
    }
}

/// Refuses requests to servers that are not configured, for example because of a redirect or the caller's own interceptor.
struct OriginGuard: MessageInterceptor {
    let origins: OriginSet

    var traceName: String { "configured servers" }

    func willSend(_ request: inout HttpRequest) throws {
        if origins.contains(request) { return }
        throw NetworkError.invalidRequest(
            NetworkFailure(
                "the request goes to a server that is not configured: only \(origins) are allowed",
                advice: "add the URL of the server to additionalResourceURLs, and pins for its host"
            )
        )
    }
}
