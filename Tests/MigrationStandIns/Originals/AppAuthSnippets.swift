import AppAuth
import UIKit

// The Swift blocks of Docs/Guides.docc/Migrating-from-AppAuth.md that use AppAuth.

func discover(issuer: URL, use: @escaping (OIDServiceConfiguration) -> Void) {
    OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
        guard let configuration else { return print(error?.localizedDescription ?? "unknown error") }
        use(configuration)
    }
}

func signIn(
    with configuration: OIDServiceConfiguration,
    from controller: UIViewController,
    use: @escaping (OIDAuthState) -> Void
) -> any OIDExternalUserAgentSession {
    let request = OIDAuthorizationRequest(
        configuration: configuration,
        clientId: "app",
        scopes: [OIDScopeOpenID, OIDScopeProfile, "offline_access"],
        redirectURL: URL(string: "com.example.app:/callback")!,
        responseType: OIDResponseTypeCode,
        additionalParameters: ["prompt": "login"]
    )
    let flow = OIDAuthState.authState(byPresenting: request, presenting: controller) { authState, error in
        guard let authState else { return print(error?.localizedDescription ?? "unknown error") }
        use(authState)
    }
    return flow
}

func store(_ authState: OIDAuthState, in file: URL) throws {
    let data = try NSKeyedArchiver.archivedData(withRootObject: authState, requiringSecureCoding: true)
    try data.write(to: file, options: .atomic)
}

func oldTokens(_ data: Data) throws -> (String?, String?) {
    let authState = try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: data)
    let accessToken = authState?.lastTokenResponse?.accessToken
    let refreshToken = authState?.refreshToken
    return (accessToken, refreshToken)
}

func call(_ authState: OIDAuthState) {
    authState.performAction { accessToken, idToken, error in
        guard let accessToken else { return print(error?.localizedDescription ?? "unknown error") }
        var request = URLRequest(url: URL(string: "https://api.example.com/me")!)
        request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
        URLSession.shared.dataTask(with: request) { data, response, error in
            print(data?.count ?? 0)
        }
        .resume()
    }
}

func isSignedOut(_ error: any Error) -> Bool {
    let error = error as NSError
    let isSignedOut = error.domain == OIDOAuthTokenErrorDomain && error.code == OIDErrorCodeOAuth.invalidGrant.rawValue
    return isSignedOut
}
