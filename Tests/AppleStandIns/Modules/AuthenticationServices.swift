// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
import Foundation

public class ASPresentationAnchor {}

@MainActor
public protocol ASWebAuthenticationPresentationContextProviding: AnyObject {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Sendable {
        case canceledLogin
        case presentationContextNotProvided
        case presentationContextInvalid
    }

    public var code: Code { fatalError() }
}

public class ASWebAuthenticationSession {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) { fatalError() }

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false

    public func start() -> Bool { fatalError() }
    public func cancel() {}
}

public class ASAuthorizationRequest {}

public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: Sendable {
    public static let preferred = ASAuthorizationPublicKeyCredentialUserVerificationPreference()
    public static let required = ASAuthorizationPublicKeyCredentialUserVerificationPreference()
    public static let discouraged = ASAuthorizationPublicKeyCredentialUserVerificationPreference()
}

public class ASAuthorizationPlatformPublicKeyCredentialDescriptor {
    public init(credentialID: Data) { fatalError() }
}

public class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    public var displayName: String?
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
    public var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?
}

public class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    public var allowedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] = []
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
}

public class ASAuthorizationPlatformPublicKeyCredentialProvider {
    public init(relyingPartyIdentifier: String) { fatalError() }

    public func createCredentialRegistrationRequest(
        challenge: Data,
        name: String,
        userID: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest { fatalError() }

    public func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest { fatalError() }
}

public protocol ASAuthorizationCredential {}

public class ASAuthorizationPlatformPublicKeyCredentialRegistration: ASAuthorizationCredential {
    public var credentialID: Data { fatalError() }
    public var rawClientDataJSON: Data { fatalError() }
    public var rawAttestationObject: Data? { fatalError() }
}

public class ASAuthorizationPlatformPublicKeyCredentialAssertion: ASAuthorizationCredential {
    public var credentialID: Data { fatalError() }
    public var rawClientDataJSON: Data { fatalError() }
    public var rawAuthenticatorData: Data! { fatalError() }
    public var signature: Data! { fatalError() }
    public var userID: Data! { fatalError() }
}

public class ASAuthorization {
    public var credential: any ASAuthorizationCredential { fatalError() }
}

@MainActor
public protocol ASAuthorizationControllerDelegate: AnyObject {
    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    )
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@MainActor
public protocol ASAuthorizationControllerPresentationContextProviding: AnyObject {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

@MainActor
public class ASAuthorizationController {
    public init(authorizationRequests: [ASAuthorizationRequest]) { fatalError() }

    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    public weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?

    public func performRequests() { fatalError() }
    public func cancel() { fatalError() }
}
