import Foundation
import Sallyport
import SallyportJOSE
import SallyportLoopback
import SallyportOAuth

#if canImport(AuthenticationServices)
import AuthenticationServices
#endif

// The Swift blocks of the documentation of SallyportOAuth, SallyportLoopback, SallyportJOSE and SallyportStorage that are not in the
// README; see ReadmeTests.

// Signing-In.md

private func discovered() -> OAuthClient {
    let server = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
        config.scopes = ["openid", "offline_access"]
    }
    return server
}

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
private func signedIn(server: OAuthClient, session: OAuthSession, window: ASPresentationAnchor) async throws {
    let agent = WebAuthenticationSession(redirectURI: "com.example.app:/callback") { window }
    try await session.save(try await server.signIn(with: agent))
}
#endif

private func signedInOnAnotherDevice(server: OAuthClient, session: OAuthSession) async throws {
    let device = try await server.deviceAuthorization()
    print("Go to \(device.verificationURI) and enter \(device.userCode)")
    try await session.save(try await server.tokens(for: device))  // waits until the user has entered the code
}

private func serviceSession(secret: String) -> OAuthSession {
    let service = OAuthClient(issuer: "https://id.example.com", clientID: "reports") { config in
        config.authentication = .secretBasic(secret)
    }
    let session = OAuthSession(
        refresher: ClientCredentialsRefresher(service, scopes: ["reports"]),
        store: MemoryTokenStore()
    )
    return session
}

// Calling-a-Protected-API.md

private func authenticated(session: OAuthSession) -> HttpClient {
    let client = HttpClient.createClient { config in
        config.authentication = [.oauth(session, for: "https://api.example.com")]
    }
    return client
}

private func clientsOfUsers(client: HttpClient, server: OAuthClient, folder: URL) -> [HttpClient] {
    func apiClient(for user: String) -> HttpClient {
        let session = OAuthSession(refresher: server, store: FileTokenStore(at: folder.appending(path: user)))
        return client.forUser().authorized(by: session, for: "https://api.example.com")
    }
    return [apiClient(for: "alice"), apiClient(for: "bob")]
}

private func boundTokens() -> OAuthClient {
    let server = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
        config.usesDPoP = true
    }
    return server
}

private func signedInAgain(
    api: HttpClient,
    session: OAuthSession,
    server: OAuthClient,
    agent: some AuthorizationAgent
) async throws {
    do {
        _ = try await api.request { request in request.url = "https://api.example.com/me" }
    } catch {
        guard let error = error.failure.underlying as? OAuthSessionError, error.isLoggedOut else { throw error }
        try await session.save(try await server.signIn(with: agent))
    }
}

// Sharing-a-Session.md

private func shared(server: OAuthClient, file: URL) throws -> OAuthSession {
    let key = try TokenStoreKey.environment("TOKEN_KEY")  // created by: openssl rand -base64 32
    let session = OAuthSession(refresher: server, store: FileTokenStore(at: file, key: key))
    return session
}

private func finished(session: OAuthSession) async throws {
    try await session.finish(within: .seconds(2))
}

// SallyportOAuth.md, SallyportLoopback.md

#if os(Linux) || os(macOS)
private func signedIn(client: HttpClient, file: URL) async throws -> HttpClient {
    let server = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
        config.scopes = ["openid", "offline_access"]
    }
    let session = OAuthSession(refresher: server, store: FileTokenStore(at: file))
    try await session.save(try await server.signIn(with: SystemBrowser()))

    let api = client.authorized(by: session, for: "https://api.example.com")
    return api
}

private func tokens(server: OAuthClient) async throws -> OAuthTokens {
    let tokens = try await server.signIn(with: SystemBrowser())
    return tokens
}
#endif

// Inspecting-Traffic.md

private func recorded() -> HttpClient {
    let recorder = TrafficRecorder()
    let client = HttpClient.createClient { config in
        #if DEBUG
        config.recorder = recorder
        #endif
    }
    return client
}

private func inspected(recorder: TrafficRecorder) {
    #if DEBUG
    Task { try await TrafficInspector.run(recorder) { print("Traffic: \($0.url)") } }
    #endif
}

// SallyportStorage.md

private func encrypted(file: URL) throws -> FileTokenStore {
    let store = FileTokenStore(at: file, key: try .environment("TOKEN_KEY"))
    return store
}

// SallyportJOSE.md

private func signed() async throws {
    let key = try SigningKey.generate(.es256)
    let message = try JsonWebSignature.sign(["sub": "alice"], with: key)

    let received = try JsonWebSignature(parsing: message)
    if let publicKey = key.publicJsonWebKey {
        try received.verify(with: publicKey, allowing: [.es256])
    }
    print(try received.claims())
}
