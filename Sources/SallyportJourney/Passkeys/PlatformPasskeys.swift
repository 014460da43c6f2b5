#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
import AuthenticationServices
import Foundation
import SallyportStorage
import SallyportTransport

/// The passkeys of an Apple device, which the system creates, protects and synchronizes.
///
/// The app needs the associated domain `webcredentials:` of each relying party. The system determines the origin in the client data.
///
/// ```swift
/// try await node.answerPasskey(with: PlatformPasskeys { window })
/// ```
public struct PlatformPasskeys: PasskeyAuthenticator {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Creates an authenticator.
    ///
    /// - Parameter anchor: A closure that returns the window to show the system's sheet over.
    public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
        self.anchor = anchor
    }

    /// Creates a passkey.
    ///
    /// - Throws: ``PasskeyError`` if the user declined or the system refused.
    public func register(_ request: PasskeyRegistrationRequest) async throws -> PasskeyRegistration {
        let result = try await show(within: request.timeout) {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: request.relyingPartyID
            )
            let creation = provider.createCredentialRegistrationRequest(
                challenge: request.challenge,
                name: request.userName,
                userID: request.userID
            )
            creation.displayName = request.displayName
            creation.userVerificationPreference = request.userVerification.preference
            if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
                creation.excludedCredentials = request.excludedCredentials.map {
                    ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
                }
            }
            return creation
        }
        guard case .registration(let registration) = result else { throw PasskeyError.notAllowed }
        return registration
    }

    /// Signs a challenge with a passkey.
    ///
    /// - Throws: ``PasskeyError`` if the user declined or the system refused.
    public func authenticate(_ request: PasskeyAssertionRequest) async throws -> PasskeyAssertion {
        let result = try await show(within: request.timeout) {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: request.relyingPartyID
            )
            let assertion = provider.createCredentialAssertionRequest(challenge: request.challenge)
            assertion.allowedCredentials = request.allowedCredentials.map {
                ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
            }
            assertion.userVerificationPreference = request.userVerification.preference
            return assertion
        }
        guard case .assertion(let assertion) = result else { throw PasskeyError.notAllowed }
        return assertion
    }

    private func show(
        within limit: Duration,
        _ makeRequest: @escaping @MainActor @Sendable () -> ASAuthorizationRequest
    ) async throws -> PasskeySheet.Outcome {
        try await withTimeLimit(limit, orThrow: PasskeyError.notAllowed) { [anchor] in
            try await PasskeySheet(anchor).show(makeRequest)
        }
    }
}

/// One presentation of the system's sheet.
@MainActor
private final class PasskeySheet: NSObject, ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding
{
    /// The response of the system.
    enum Outcome: Sendable {
        case registration(PasskeyRegistration)
        case assertion(PasskeyAssertion)
    }

    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private let waiting = Locked<CheckedContinuation<Outcome, any Error>?>(nil)

    init(_ anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
        self.anchor = anchor
    }

    func show(_ makeRequest: @MainActor @Sendable () -> ASAuthorizationRequest) async throws -> Outcome {
        let controller = ASAuthorizationController(authorizationRequests: [makeRequest()])
        controller.delegate = self
        controller.presentationContextProvider = self
        defer { controller.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0 = continuation }
                if Task.isCancelled { return finish(.failure(CancellationError())) }
                controller.performRequests()
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor() }

    func authorizationController(
        controller: ASAuthorizationController,
        didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        switch authorization.credential {
        case let credential as ASAuthorizationPlatformPublicKeyCredentialRegistration:
            guard let attestation = credential.rawAttestationObject else {
                return finish(.failure(PasskeyError.notSupported))
            }
            let registration = PasskeyRegistration(
                credentialID: credential.credentialID,
                clientDataJSON: credential.rawClientDataJSON,
                attestationObject: attestation
            )
            finish(.success(.registration(registration)))
        case let credential as ASAuthorizationPlatformPublicKeyCredentialAssertion:
            guard let data = credential.rawAuthenticatorData, let signature = credential.signature else {
                return finish(.failure(PasskeyError.notSupported))
            }
            let assertion = PasskeyAssertion(
                credentialID: credential.credentialID,
                clientDataJSON: credential.rawClientDataJSON,
                authenticatorData: data,
                signature: signature,
                userHandle: credential.userID
            )
            finish(.success(.assertion(assertion)))
        default: finish(.failure(PasskeyError.notAllowed))
        }
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        // The system does not tell servers more than that the request was refused.
        finish(.failure(PasskeyError.notAllowed))
    }

    /// Ends the wait unless it has ended already.
    private nonisolated func finish(_ result: Result<Outcome, any Error>) {
        waiting.take()?.resume(with: result)
    }
}

extension UserVerification {
    fileprivate var preference: ASAuthorizationPublicKeyCredentialUserVerificationPreference {
        switch self {
        case .required: .required
        case .preferred: .preferred
        case .discouraged: .discouraged
        }
    }
}
#endif
