import Foundation
import Sallyport
import SallyportStorage

/// The settings of your app for resource calls: its name, its servers, their keys, and the checks of the device.
///
/// Create them in code, or read them from JSON or a property list that has the names of the properties as keys:
///
/// ```swift
/// var model = ConfigModel(
///     appIdentifier: "com.example.app",
///     appVersion: "2.1.0",
///     baseURL: "https://id.example.com",
///     resourceBaseURL: "https://api.example.com/resources/"
/// )
/// model.certificates = [chainPEM]
/// try ResourceClient.configure(model)
///
/// let file = Bundle.main.url(forResource: "Resources", withExtension: "plist")!
/// try ResourceClient.configure(ConfigModel(contentsOf: file))
/// ```
///
/// The values are checked by ``ResourceClient/init(_:stores:http:)``. To encode settings as JSON, use a `JSONEncoder` with the
/// `dateEncodingStrategy` `iso8601`.
public struct ConfigModel: Sendable, Hashable {
    /// The identifier of your app, such as `com.example.app`.
    public var appIdentifier: String

    /// The platform of your app; by default the name of the operating system, such as `ios`.
    public var appPlatform = StandardHeaders.platform

    /// The version of your app, such as `2.1.0`.
    public var appVersion: String

    /// The https URL of the server that registers devices and issues tokens.
    public var baseURL: String

    /// The https URL with which the paths of requests are joined.
    public var resourceBaseURL: String

    /// The URI at which the app receives the result of a login; `nil` if users do not sign in on this device.
    public var redirectURL: String?

    /// The certificates of all servers, each text in PEM, with one or more certificates.
    ///
    /// The pins of all of them are accepted for each configured host: the chain of a server must contain one of their keys. The
    /// certificate of an authority accepts every server to which the authority issues a certificate.
    public var certificates: [String] = []

    /// The pins of single hosts, in addition to ``certificates``: a `HostPattern`, and pins such as `sha256/…`.
    public var pins: [String: [String]] = [:]

    /// The time at which all pins expire; `nil` for never. From then on all calls are refused, until the app is updated.
    public var pinExpiry: Date?

    /// A Boolean value that indicates whether hosts may have no pins. The default is `false`, which makes this a configuration error.
    ///
    /// Certificates then need only the trust of the system. https is still required, and hosts with pins are still checked.
    public var allowsUnpinnedHosts = false

    /// The public key with which requests to the server of ``resourceBaseURL`` are encrypted, as a JSON Web Key, a set of them or in PEM;
    /// `nil` to not encrypt them. In a file, the value is this text, or an object for a key or a set. See
    /// ``PayloadEncryption``.
    public var serverPublicKey: String?

    /// The URL of the handshake of payload encryption, or its path at the server of ``resourceBaseURL``; `nil` if it is
    /// the path `/api/v1/payload/handshake`. A path that does not begin with a slash is joined with ``resourceBaseURL``.
    public var payloadHandshakeURL: String?

    /// The URLs of further servers, to which absolute URLs of requests may go. Their paths are ignored.
    ///
    /// They receive tokens as well, and requests to them are never encrypted, unless they have the origin of ``resourceBaseURL``; see
    /// ``serverPublicKey``. An absolute URL to any other server than these, ``baseURL`` and ``resourceBaseURL`` is refused.
    public var additionalResourceURLs: [String] = []

    /// A Boolean value that indicates whether cookies are stored, in memory. The default is `true`.
    ///
    /// Each user and the device have cookies of their own, and so have unauthenticated calls. Requests for tokens and registrations have
    /// none.
    public var storeCookies = true

    /// The time to use a report of the server about this device without asking again, in seconds. Such a report states that the server
    /// no longer accepts the app version or the version of the operating system. The default is 300; with zero or less, reports are not
    /// stored.
    public var deviceConfigurationCacheDuration: TimeInterval = 300

    /// The maximum duration of a call, in seconds. The default is 30.
    public var requestTimeout: TimeInterval = 30

    /// The checks of the device that run before each call. The default is all.
    public var integrityChecks = Set(IntegrityCheck.allCases)

    /// The signed statement of the server's operator about this app version (RFC 7591, section 2.3).
    public var softwareStatement: String?

    /// The issuer identifier of the server that issues tokens; `nil` if it is ``baseURL`` without a slash at its end.
    ///
    /// It is an https URL at one of the configured servers.
    public var issuer: String?

    /// Creates settings, which can be changed further.
    ///
    /// - Parameters:
    ///   - appIdentifier: The identifier of your app.
    ///   - appVersion: The version of your app.
    ///   - baseURL: The https URL of the server that registers devices and issues tokens.
    ///   - resourceBaseURL: The https URL with which the paths of requests are joined.
    public init(appIdentifier: String, appVersion: String, baseURL: String, resourceBaseURL: String) {
        self.appIdentifier = appIdentifier
        self.appVersion = appVersion
        self.baseURL = baseURL
        self.resourceBaseURL = resourceBaseURL
    }
}

extension ConfigModel {
    /// Reads settings in JSON. An object with two members of the same name is invalid.
    ///
    /// - Throws: ``ResourceError/Reason/invalidConfiguration``, which states the line and the column of an error in the JSON, or the key
    ///   that is missing, unknown or has an invalid value.
    public init(json: Data) throws(ResourceError) {
        try Self.checkSyntax(of: json)
        try self.init(from: "JSON") { () throws in
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(ConfigModel.self, from: json)
        }
    }

    /// Reads settings in a property list.
    ///
    /// - Throws: ``ResourceError/Reason/invalidConfiguration``, which states the key that is missing, unknown or has an invalid value.
    public init(propertyList: Data) throws(ResourceError) {
        try self.init(from: "a property list") { () throws in
            try PropertyListDecoder().decode(ConfigModel.self, from: propertyList)
        }
    }

    /// The maximum size of a file, in bytes. The certificates are the largest part.
    private static let maximumFileSize = 1 << 20

    /// Reads settings in a file of at most 1 MiB: a property list if its name ends with `.plist`, and JSON otherwise.
    ///
    /// - Throws: ``ResourceError/Reason/invalidConfiguration`` if the file cannot be read or is too long, or if its content is invalid.
    public init(contentsOf file: URL) throws(ResourceError) {
        let content: Data?
        do throws(FileSystemError) {
            content = try FileSystem.content(of: file, upTo: Self.maximumFileSize)
        } catch {
            throw Self.invalid("the file \(file.path) \(error)", "check the path of the file with the configuration")
        }
        guard let content else {
            throw Self.invalid(
                "the file \(file.path) is longer than the maximum of \(Self.maximumFileSize) bytes",
                "check the path of the file with the configuration"
            )
        }
        do throws(ResourceError) {
            if file.pathExtension == "plist" {
                try self.init(propertyList: content)
            } else {
                try self.init(json: content)
            }
        } catch {
            var failure = error.failure
            failure.reason = "the file \(file.path): \(failure.reason)"
            throw ResourceError(.invalidConfiguration, failure)
        }
    }

    /// Checks JSON more strictly than `JSONDecoder`. The decoder's errors on Linux state no position.
    private static func checkSyntax(of json: Data) throws(ResourceError) {
        do throws(JsonDocumentError) {
            _ = try JsonDocument(fileContent: json)
        } catch {
            throw invalid("\(error)", "correct the JSON of the configuration")
        }
    }

    private init(from format: String, _ decode: () throws -> ConfigModel) throws(ResourceError) {
        do {
            self = try decode()
        } catch let error as DecodingError {
            throw Self.invalid(
                "the configuration cannot be read from \(format): \(Self.problem(in: error))",
                "the keys are the names of the properties of ConfigModel"
            )
        } catch {
            throw Self.invalid("the configuration is not \(format)", "check the format of the file")
        }
    }

    private static func problem(in error: DecodingError) -> String {
        func at(_ path: [any CodingKey]) -> String {
            let keys = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
            return keys.isEmpty ? "" : " at \"\(VisibleText.line(keys, longest: 100))\""
        }
        switch error {
        case .keyNotFound(let key, _): return "the key \"\(key.stringValue)\" is missing"
        case .typeMismatch(let type, let context):
            return "the value\(at(context.codingPath)) must be \(Self.kind(of: type))"
        case .valueNotFound(_, let context): return "the value\(at(context.codingPath)) is null"
        case .dataCorrupted(let context):
            // The text may quote a value of the file.
            let problem = VisibleText.line(context.debugDescription, longest: 200)
            return "the content\(at(context.codingPath)) is invalid: \(problem)"
        @unknown default: return "the content is invalid"
        }
    }

    /// Returns the kind of value in a file that is decoded as a type.
    private static func kind(of type: Any.Type) -> String {
        switch type {
        case is String.Type: return "a text"
        case is Bool.Type: return "true or false"
        case is Double.Type: return "a number"
        default:
            let name = "\(type)"
            if name.hasPrefix("Array") { return "an array" }
            return name.hasPrefix("Dictionary") ? "an object" : "of the type \(name)"
        }
    }

    static func invalid(_ reason: String, _ advice: String) -> ResourceError {
        ResourceError(.invalidConfiguration, NetworkFailure(reason, advice: advice))
    }
}

extension ConfigModel: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case appIdentifier, appPlatform, appVersion, baseURL, resourceBaseURL, redirectURL
        case certificates, pins, pinExpiry, allowsUnpinnedHosts
        case serverPublicKey, payloadHandshakeURL, additionalResourceURLs
        case storeCookies, deviceConfigurationCacheDuration, requestTimeout
        case integrityChecks, softwareStatement, issuer
    }

    /// Decodes settings. Keys that are missing have their defaults, and unknown keys are errors.
    public init(from decoder: any Decoder) throws {
        let known = Set(CodingKeys.allCases.map(\.rawValue))
        let names = try decoder.container(keyedBy: NameKey.self).allKeys.map(\.stringValue)
        if let unknown = names.sorted().first(where: { !known.contains($0) }) {
            let similar = known.first { $0.lowercased() == unknown.lowercased() }
            let text =
                "the key \"\(VisibleText.line(unknown, longest: 100))\" is unknown"
                + (similar.map { "; did you mean \"\($0)\"?" } ?? "")
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: text))
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            appIdentifier: try values.decode(String.self, forKey: .appIdentifier),
            appVersion: try values.decode(String.self, forKey: .appVersion),
            baseURL: try values.decode(String.self, forKey: .baseURL),
            resourceBaseURL: try values.decode(String.self, forKey: .resourceBaseURL)
        )
        func read<Value: Decodable>(_ key: CodingKeys, _ value: inout Value) throws {
            value = try values.decodeIfPresent(Value.self, forKey: key) ?? value
        }
        try read(.appPlatform, &appPlatform)
        redirectURL = try values.decodeIfPresent(String.self, forKey: .redirectURL)
        try read(.certificates, &certificates)
        try read(.pins, &pins)
        do {
            pinExpiry = try values.decodeIfPresent(Date.self, forKey: .pinExpiry)
        } catch DecodingError.dataCorrupted {
            let text = "the date is not of the form 2027-01-31T00:00:00Z"
            throw DecodingError.dataCorruptedError(forKey: .pinExpiry, in: values, debugDescription: text)
        }
        try read(.allowsUnpinnedHosts, &allowsUnpinnedHosts)
        if let key = try? values.decode([String: JsonValue].self, forKey: .serverPublicKey) {
            serverPublicKey = String(decoding: try JSONEncoder().encode(key), as: UTF8.self)
        } else {
            serverPublicKey = try values.decodeIfPresent(String.self, forKey: .serverPublicKey)
        }
        payloadHandshakeURL = try values.decodeIfPresent(String.self, forKey: .payloadHandshakeURL)
        try read(.additionalResourceURLs, &additionalResourceURLs)
        try read(.storeCookies, &storeCookies)
        try read(.deviceConfigurationCacheDuration, &deviceConfigurationCacheDuration)
        try read(.requestTimeout, &requestTimeout)
        if let names = try values.decodeIfPresent([String].self, forKey: .integrityChecks) {
            integrityChecks = Set(
                try names.map { name -> IntegrityCheck in
                    if let check = IntegrityCheck(rawValue: name) { return check }
                    let checks = IntegrityCheck.allCases.map(\.rawValue).joined(separator: ", ")
                    let text = "\"\(VisibleText.line(name, longest: 40))\" is none of \(checks)"
                    throw DecodingError.dataCorruptedError(forKey: .integrityChecks, in: values, debugDescription: text)
                }
            )
        }
        softwareStatement = try values.decodeIfPresent(String.self, forKey: .softwareStatement)
        issuer = try values.decodeIfPresent(String.self, forKey: .issuer)
    }
}
