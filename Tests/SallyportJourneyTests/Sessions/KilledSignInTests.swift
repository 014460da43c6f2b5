import Foundation
import SallyportGateway
import SallyportJourney
import SallyportOAuth
import SessionSupport
import TestSupport
import Testing

@Suite(.busy) struct KilledSignInTests {
    /// The number of processes that are killed: 10 or `SALLYPORT_KILLS`.
    private static let kills = ProcessInfo.processInfo.environment["SALLYPORT_KILLS"].flatMap { Int($0) } ?? 10

    @Test func `After a process is killed during a sign-in, there is no session or a complete one, and the next works`()
        async throws
    {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        let metadata = ClientMetadata(redirectURIs: [TreeSignIn.redirectURI], scope: TreeSignIn.scope)
        configuration.clients = [GatewayClient(id: TreeSignIn.clientID, metadata: metadata)]
        configuration.clients[0].impliesConsent = true
        let server = try AuthorizationServer(configuration)
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("private/session")
            try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
                for number in 0..<Self.kills {
                    let worker = try Worker(file, port: gateway.port, mode: "sign-in")
                    _ = try await worker.line(1)
                    // Each process is killed at another moment of its sign-ins.
                    try await Task.sleep(for: .microseconds(number * 7_919 % 60_000))
                    worker.kill()
                    let journey = try TreeSignIn.journey(storedIn: file, port: gateway.port)
                    defer { journey.httpClient.close() }
                    // The server knows a session that is stored.
                    if try await journey.session() != nil { try await journey.requestTokens() }
                    let session = try await TreeSignIn.signIn(with: journey)
                    #expect(try await journey.session() == session)
                    #expect(
                        try await journey.oauthSession.tokens().refreshToken
                            == journey.oauthSession.current()?.refreshToken
                    )
                }
            }
        }
    }
}
