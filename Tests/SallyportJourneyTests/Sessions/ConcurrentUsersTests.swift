import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.busy) struct ConcurrentUsersTests {
    private static let users = 2000

    @Test(arguments: [true, false])
    func `2,000 users of one client, or of derived clients, have sessions, cookies and tokens of their own`(
        isDerived: Bool
    ) async throws {
        let server = Self.server()
        let client = HttpClient.createClient { $0.transport = server.transport }
        let settings = try TreeServer.settings()
        let journeys = Locked<[WeakJourney]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.users {
                group.addTask {
                    let journey = Journey(settings, httpClient: isDerived ? client.derived { _ in } : client)
                    journeys.withLock { $0.append(WeakJourney(journey)) }
                    let session = try await journey.start().complete { $0[NameCallback.self]?.name = "user\(number)" }
                    let token = "session-of-user\(number)"
                    #expect(session?.token == token)
                    #expect(try await journey.session()?.token == token)
                    #expect(journey.httpClient.configuration.cookieJar?.allCookies.map(\.value) == [token])
                    #expect(try await journey.oauthSession.tokens().accessToken == "access-of-\(token)")
                }
            }
            try await group.waitForAll()
        }
        // A refresh that has provided its tokens may still be ending.
        let areReleased = try await eventually {
            journeys.withLock { journeys in journeys.allSatisfy(\.isReleased) } ? true : nil
        }
        #expect(areReleased == true)
        #expect(server.transport.requests.count == 4 * Self.users)
    }

    /// A server that derives each token from the name of the user.
    private static func server() -> TreeServer {
        let server = TreeServer()
        server.transport.on(.post, TreeServer.realm + "/authenticate") { request in
            guard let name = request.text.firstMatch(of: /"IDToken1","value":"([a-z0-9]+)"/)?.1 else {
                return .node(CallbackText.name)
            }
            return .session("session-of-\(name)")
        }
        server.transport.on(.get, TreeServer.oauth + "/authorize") { request in
            let token = request.header("iPlanetDirectoryPro") ?? ""
            let state = queryPairs(request.query ?? "")["state"] ?? ""
            return .redirect(to: "https://app.example.com/cb?code=\(token)&state=\(state)")
        }
        server.transport.on(.post, TreeServer.oauth + "/access_token") { request in
            .json(#"{"access_token":"access-of-\#(queryPairs(request.text)["code"] ?? "")","token_type":"Bearer"}"#)
        }
        return server
    }
}

/// References that keep neither a journey nor its parts alive.
private struct WeakJourney: Sendable {
    private weak let journey: Journey?
    private weak let session: OAuthSession?
    private weak let client: OAuthClient?
    private weak let jar: CookieJar?

    init(_ journey: Journey) {
        self.journey = journey
        session = journey.oauthSession
        client = journey.oauthClient
        jar = journey.httpClient.configuration.cookieJar
    }

    var isReleased: Bool { journey == nil && session == nil && client == nil && jar == nil }
}
