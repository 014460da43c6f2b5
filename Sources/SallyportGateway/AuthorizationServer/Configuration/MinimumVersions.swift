import Foundation

/// The oldest versions of an app and of operating systems that a server accepts.
///
/// ```json
/// {"minimum_versions": [{"app_identifier": "com.example.app", "app_version": "2.0", "os_versions": {"ios": "16.4"}}]}
/// ```
public struct MinimumVersions: Sendable, Equatable, Decodable {
    /// The identifier of the app.
    public var appIdentifier: String
    /// The oldest version of the app; `nil` for any.
    public var appVersion: String?
    /// The oldest versions of operating systems, by platform; any for other platforms.
    public var systemVersions: [String: String]

    /// Creates minimum versions.
    public init(appIdentifier: String, appVersion: String? = nil, systemVersions: [String: String] = [:]) {
        self.appIdentifier = appIdentifier
        self.appVersion = appVersion
        self.systemVersions = systemVersions
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case appIdentifier = "app_identifier"
        case appVersion = "app_version"
        case systemVersions = "os_versions"
    }

    /// Decodes minimum versions. Unknown members are refused.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownMembers(CodingKeys.self, of: "minimum_versions")
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            appIdentifier: try container.decode(String.self, forKey: .appIdentifier),
            appVersion: try container.decodeIfPresent(String.self, forKey: .appVersion),
            systemVersions: try container.decodeIfPresent([String: String].self, forKey: .systemVersions) ?? [:]
        )
    }
}

extension [MinimumVersions] {
    /// The first error in the minimum versions, or `nil`.
    var mistake: String? {
        for minimum in self {
            let versions = [minimum.appVersion].compactMap(\.self) + minimum.systemVersions.values.sorted()
            // Other versions would refuse nobody.
            if let version = versions.first(where: { $0.wholeMatch(of: /[0-9]{1,9}(\.[0-9]{1,9})*/) == nil }) {
                return "The version \(version) of \(minimum.appIdentifier) must consist of numbers of at most nine "
                    + "digits, such as 2.10 (minimum_versions)."
            }
        }
        return nil
    }

    /// Refuses a request if its `User-Agent` states an outdated version.
    func check(_ userAgent: String?) throws(OAuthRefusal) {
        guard !isEmpty, let versions = userAgent.flatMap(AppVersions.init) else { return }
        for minimum in self where minimum.appIdentifier == versions.appIdentifier {
            if let oldest = minimum.appVersion, AppVersions.isOlder(versions.appVersion, than: oldest) {
                throw OAuthRefusal(
                    .outdatedApp,
                    "This version of the app is not accepted any more.",
                    members: ["minimum_version": oldest]
                )
            }
            if let oldest = minimum.systemVersions[versions.platform],
                AppVersions.isOlder(versions.systemVersion, than: oldest)
            {
                throw OAuthRefusal(
                    .outdatedSystem,
                    "This version of the operating system is not accepted any more.",
                    members: ["minimum_version": oldest]
                )
            }
        }
    }
}

/// The versions in a `User-Agent` such as `com.example.app/2.1.0 (ios 17.4) sallyport/0.1.0`.
struct AppVersions: Equatable {
    let appIdentifier: String
    let appVersion: String
    let platform: String
    let systemVersion: String

    /// Parses the value of `User-Agent`; `nil` if it has another form.
    init?(_ userAgent: String) {
        let pattern =
            /([A-Za-z0-9._\-]{1,200})\/([A-Za-z0-9._\-]{1,200}) \(([A-Za-z0-9._\-]{1,200}) ([A-Za-z0-9._\-]{1,200})\) sallyport\/.*/
        guard userAgent.utf8.count <= 2048, let match = userAgent.wholeMatch(of: pattern) else { return nil }
        (appIdentifier, appVersion) = (String(match.1), String(match.2))
        (platform, systemVersion) = (String(match.3), String(match.4))
    }

    /// Returns a Boolean value that indicates whether a text can be an identifier, a version or a platform.
    static func isWord(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z0-9._\-]{1,200}/) != nil }

    /// Returns a Boolean value that indicates whether a version is older than another one. Versions are compared number by number; a
    /// missing number is 0.
    static func isOlder(_ version: String, than other: String) -> Bool {
        let (numbers, others) = (numbers(version), numbers(other))
        for index in 0..<Swift.max(numbers.count, others.count) {
            let number = index < numbers.count ? numbers[index] : 0
            let other = index < others.count ? others[index] : 0
            if number != other { return number < other }
        }
        return false
    }

    /// Returns the numbers between the dots of a version. Other characters after a number, as in `1.0-beta`, are ignored.
    private static func numbers(_ version: String) -> [Int] {
        version.split(separator: ".", omittingEmptySubsequences: false).map { part in
            Int(part.prefix { $0.isASCII && $0.isNumber }) ?? 0
        }
    }
}
