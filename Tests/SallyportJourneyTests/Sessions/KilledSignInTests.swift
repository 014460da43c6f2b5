import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth
import SessionSupport
import TestSupport
import Testing

@testable import SallyportGateway

/// The files that killed processes leave. Each process is killed when the server has received a certain number of bytes, so that every part
/// of a sign-in with a tree, and of the exchange of its session for tokens, is interrupted.
@Suite(.busy) struct KilledSignInTests {
    /// The number of processes that are killed: 10 or `SALLYPORT_KILLS`.
    private static let kills = ProcessInfo.processInfo.environment["SALLYPORT_KILLS"].flatMap { Int($0) } ?? 10
    /// The number of bytes that a process sends in about three sign-ins, of which the later ones replace the session and its tokens.
    private static let bytes = 8_000

    @Test func `After a process is killed during a sign-in, the next one starts or resumes it without partial files`()
        async throws
    {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        var metadata = ClientMetadata(redirectURIs: [TreeSignIn.redirectURI], scope: TreeSignIn.scope)
        metadata.grantTypes = ["authorization_code", "refresh_token"]
        configuration.clients = [GatewayClient(id: TreeSignIn.clientID, metadata: metadata)]
        configuration.clients[0].impliesConsent = true
        let server = try AuthorizationServer(configuration)
        try await withTemporaryDirectory { directory in
            let folder = directory.appendingPathComponent("private")
            try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
                try await withScriptedServer([[.tunnel(toPort: gateway.port)]]) { recorder in
                    await server.serve(at: "http://\(recorder.authority)")
                    var resumed = 0
                    for number in 0..<Self.kills {
                        // Every fourth process has no files yet.
                        if number % 4 == 0 { try? FileManager.default.removeItem(at: folder) }
                        try await Self.kill(number, in: folder, recorder)
                        if try await Self.resume(in: folder, recorder) { resumed += 1 }
                    }
                    print("\(Self.kills) killed sign-ins: \(resumed) resumed, \(Self.kills - resumed) started again")
                }
            }
        }
    }

    /// Starts a process that signs in repeatedly, and kills it.
    private static func kill(_ number: Int, in folder: URL, _ recorder: ScriptedServer) async throws {
        let index = recorder.acceptedConnections
        let worker = try Worker(sessionFile(in: folder), port: recorder.port, mode: "sign-in")
        let connection = try await recorder.connection(index)
        try await connection.waitUntilReceived(count: 1 + number * 7_919 % bytes)
        try await Task.sleep(for: .microseconds(number * 104_729 % 3_000))
        worker.kill()
        // The system closes the connection when the process has ended.
        try await connection.waitUntilClosedByClient()
    }

    /// Signs in as the next process, without a demand to authenticate again, and checks the files.
    ///
    /// - Returns: A Boolean value that indicates whether the server accepted the session of the killed process.
    private static func resume(in folder: URL, _ recorder: ScriptedServer) async throws -> Bool {
        let journey = try TreeSignIn.journey(storedIn: sessionFile(in: folder), port: recorder.port)
        defer { journey.httpClient.close() }
        // Both files contain a complete record, or do not exist.
        let stored = try await journey.session()
        _ = try await journey.oauthSession.current()

        let session = try await journey.start().complete { node in
            node[NameCallback.self]?.name = "alice"
            node[PasswordCallback.self]?.password = "wonderland"
        }
        #expect(session != nil)
        #expect(try await journey.session() == session)
        // The server accepts the tokens.
        let tokens = try await journey.oauthSession.tokens()
        #expect(tokens.refreshToken != nil)
        let refreshed = try await journey.oauthSession.refresh()
        #expect(refreshed.accessToken != tokens.accessToken)

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["session", "session.lock", "session.tokens", "session.tokens.lock"])
        #expect(try await FileSessionStore(at: sessionFile(in: folder)).load()?.session == session)
        let tokenFile = sessionFile(in: folder).appendingPathExtension("tokens")
        #expect(try await FileTokenStore(at: tokenFile).load()?.tokens.accessToken == refreshed.accessToken)
        return stored != nil && stored?.token == session?.token
    }

    private static func sessionFile(in folder: URL) -> URL { folder.appendingPathComponent("session") }
}
