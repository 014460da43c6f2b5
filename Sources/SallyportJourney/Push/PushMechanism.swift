import Foundation
import Sallyport
import SallyportOAuth

/// An account that this device approves sign-ins for: the shared secret and the endpoints of its server.
///
/// ``PushClient/enroll(_:device:)`` creates it. Its description contains no secret.
public struct PushMechanism: Sendable, Codable, Identifiable {
    /// The identifier by which the server's messages name the mechanism (`mechanismUid`).
    public let id: String
    /// The issuer, such as a company; empty if the server stated none.
    public let issuer: String
    /// The name of the account at the issuer.
    public let account: String
    /// The https URL of the issuer's logo, if there is one.
    public let imageURL: String?
    /// The background color for the logo as six hexadecimal digits, if there is one.
    public let backgroundColor: String?

    let secret: Data
    let registrationURL: String
    let authenticationURL: String
    let loadBalancerCookie: String?
}

extension PushMechanism {
    init(id: String, _ enrollment: PushEnrollment) {
        self.id = id
        issuer = enrollment.issuer
        account = enrollment.account
        imageURL = enrollment.imageURL
        backgroundColor = enrollment.backgroundColor
        secret = enrollment.secret
        registrationURL = enrollment.registrationURL
        authenticationURL = enrollment.authenticationURL
        loadBalancerCookie = enrollment.loadBalancerCookie
    }
}

extension PushMechanism: CustomStringConvertible, CustomReflectable {
    /// The account and the issuer, safe to show on one line.
    public var description: String {
        VisibleText.line(issuer.isEmpty ? account : "\(account) at \(issuer)", longest: 300)
    }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["mechanism": description], displayStyle: .struct) }
}

/// The content of a URI that enrolls a push mechanism.
struct PushEnrollment {
    /// The maximum length of the secret and of the challenge, in bytes.
    static let maximumSecret = 1024

    let issuer: String
    let account: String
    let imageURL: String?
    let backgroundColor: String?
    let secret: Data
    let challenge: Data
    let messageID: String
    let registrationURL: String
    let authenticationURL: String
    let loadBalancerCookie: String?

    init(_ text: String) throws(MechanismError) {
        let uri = try MechanismURI(text) { scheme, type in
            scheme == "pushauth" && type == "push" || scheme == "mfauth" && ["push", "totp", "hotp"].contains(type)
        }
        issuer = uri.issuer
        account = uri.account
        secret = try uri.bytes("s", upTo: Self.maximumSecret)
        try MechanismError.checkStrength(of: secret)
        challenge = try uri.bytes("c", upTo: Self.maximumSecret)
        messageID = try uri.text("m")
        registrationURL = try Self.endpoint("r", of: uri)
        authenticationURL = try Self.endpoint("a", of: uri)
        loadBalancerCookie = try uri["l"]?.isEmpty == false ? Self.cookie(of: uri) : nil
        // It is not in base64, except at some servers.
        imageURL = uri["image"]
            .map { EitherBase64.decode($0).flatMap { String(data: $0, encoding: .utf8) } ?? $0 }
            .flatMap { EndpointAddress.problem(with: $0) == nil ? $0 : nil }
        backgroundColor = uri["b"].flatMap { $0.wholeMatch(of: /#?([0-9A-Fa-f]{6})/) }.map { String($0.1) }
    }

    private static func endpoint(_ name: String, of uri: MechanismURI) throws(MechanismError) -> String {
        let url = try uri.decodedText(name)
        if let problem = EndpointAddress.problem(with: url) {
            throw MechanismError(
                .insecureEndpoint(name),
                "the endpoint \(Redaction.shortUrl(url)) in the URI (\(name)) cannot be used: \(problem)",
                advice: "the server has to use https; plain http is allowed on loopback addresses only"
            )
        }
        return url
    }

    private static func cookie(of uri: MechanismURI) throws(MechanismError) -> String {
        let cookie = try uri.decodedText("l")
        guard LoadBalancerCookie.isValid(cookie) else {
            throw MechanismError(
                .invalidParameter("l"),
                "the parameter l of the URI is not a cookie of the form name=value"
            )
        }
        return cookie
    }
}

/// The cookie by which a load balancer forwards a request to the server that issued a message.
enum LoadBalancerCookie {
    /// Returns a Boolean value that indicates whether a text is one cookie, `name=value`.
    static func isValid(_ text: String) -> Bool {
        text.utf8.count <= 1024 && text.wholeMatch(of: /[!#$%&'*+\-.^_`|~0-9A-Za-z]+=[!-:<-~]*/) != nil
    }
}
