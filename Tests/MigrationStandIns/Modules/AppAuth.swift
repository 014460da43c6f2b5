// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of AppAuth 1.7 for iOS, with the names that Swift gives them.
@_exported import Foundation
import UIKit

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif

public let OIDScopeOpenID = ""
public let OIDScopeProfile = ""
public let OIDResponseTypeCode = ""
public let OIDOAuthTokenErrorDomain = ""

public enum OIDErrorCodeOAuth: Int {
    case invalidGrant
    case accessDenied
}

public protocol OIDExternalUserAgentSession: NSObjectProtocol {
    func resumeExternalUserAgentFlow(with url: URL) -> Bool
    func cancel()
}

open class OIDServiceConfiguration: NSObject {}

open class OIDAuthorizationRequest: NSObject {
    public init(
        configuration: OIDServiceConfiguration,
        clientId: String,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        additionalParameters: [String: String]?
    ) {}
}

open class OIDTokenResponse: NSObject {
    public var accessToken: String? { fatalError() }
    public var idToken: String? { fatalError() }
}

open class OIDAuthorizationService: NSObject {
    public static func discoverConfiguration(
        forIssuer issuerURL: URL,
        completion: @escaping (OIDServiceConfiguration?, (any Error)?) -> Void
    ) {}
}

open class OIDAuthState: NSObject, NSSecureCoding {
    public static var supportsSecureCoding: Bool { true }
    public var isAuthorized: Bool { fatalError() }
    public var refreshToken: String? { fatalError() }
    public var lastTokenResponse: OIDTokenResponse? { fatalError() }

    public required init?(coder: NSCoder) { return nil }
    public func encode(with coder: NSCoder) {}

    public static func authState(
        byPresenting authorizationRequest: OIDAuthorizationRequest,
        presenting presentingViewController: UIViewController,
        callback: @escaping (OIDAuthState?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession { fatalError() }

    public func performAction(freshTokens action: @escaping (String?, String?, (any Error)?) -> Void) {}
    public func setNeedsTokenRefresh() {}
}
