import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

/// Uses tokens from login to logout with every log at trace level.
@Suite(.concurrencyLimited) struct CanaryTests {
    private static let password = "canary-password-of-alice"
    private static let secret = "canary-secret-of-the-client"

    @Test func `Logs and errors contain no password, token, code, secret or cookie`() async throws {
        let journal = Journal()
        let secrets = CollectedSecrets([Self.password, Self.secret])
        let identity = try AuthorizationServer(Self.configuration())
        let configuration = GatewayConfiguration(logger: CapturingLog.logger(journal), authorizationServer: identity)
        try await Gateway.withRunning(configuration) { address in
            let lifecycle = try Lifecycle(at: address.baseURL, journal, secrets, identity)
            try await lifecycle.signInThroughPages(password: Self.password)
            try await lifecycle.signInByDevice()
            try await lifecycle.requestClientTokens(secret: Self.secret)
            try await lifecycle.callAndRefresh()
            await lifecycle.fail()
            try await lifecycle.end()
        }
        let shown = journal.entries.filter { !secrets.shown(in: $0).isEmpty }
        #expect(shown.isEmpty)
        #expect(secrets.all.count > 12, "tokens, codes and cookies were collected")
        #expect(journal.entries.count > 40, "the log has lines")
    }

    private static func configuration() throws -> AuthorizationServerConfiguration {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.users[0].password = try PasswordHash(hashing: password, cost: 1)
        for index in configuration.clients.indices where configuration.clients[index].secret != nil {
            configuration.clients[index].secret = try PasswordHash(hashing: secret, cost: 1)
        }
        configuration.lifetimes.deviceInterval = 1
        configuration.lifetimes.refreshTokenReuse = 0
        return configuration
    }
}

/// The steps from login to logout.
private struct Lifecycle {
    let url: String
    let journal: Journal
    let secrets: CollectedSecrets
    let identity: AuthorizationServer
    let http: HttpClient
    let client: OAuthClient
    let session: OAuthSession

    init(at url: String, _ journal: Journal, _ secrets: CollectedSecrets, _ identity: AuthorizationServer) throws {
        self.url = url
        self.journal = journal
        self.secrets = secrets
        self.identity = identity
        let http = HttpClient.createClient { config in
            config.logger = CapturingLog.logger(journal)
            config.isTraced = true
            config.onResponse { response in secrets.collect(from: response) }
        }
        self.http = http
        client = OAuthClient(issuer: url, clientID: "pub") { config in
            config.httpClient = http
            config.scopes = ["openid", "email", "api"]
            config.usesDPoP = true
        }
        session = OAuthSession(
            refresher: client,
            store: MemoryTokenStore(),
            logger: CapturingLog.logger(journal)
        )
    }

    func signInThroughPages(password: String) async throws {
        let request = try await client.authorizationRequest(redirectURI: "http://127.0.0.1:9/callback")
        var response = try await http.request { $0.url = request.url }
        for fields in [
            ["username": "alice", "password": "wrong"], ["username": "alice", "password": password],
            ["decision": "allow"],
        ] {
            let page = response.bodyAsString()
            note(response)
            let action = try #require(page.firstMatch(of: /<form method="post" action="([^"]*)">/)).1
            let hidden = page.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
                .map { (String($0.1), String($0.2)) }
            response = try await http.request { request in
                request.url = url + action
                request.form(parameters: hidden + fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            }
        }
        let callback = try #require(response.getHeader(name: "Location"))
        note(response)
        try await session.save(try await client.tokens(from: callback, for: request))
        await noting { _ = try await client.tokens(from: callback, for: request) }
    }

    func signInByDevice() async throws {
        let device = try await client.deviceAuthorization()
        #expect(await identity.approveDevice(userCode: device.userCode, as: "alice"))
        try await session.save(try await client.tokens(for: device))
        note(device)
    }

    func requestClientTokens(secret: String) async throws {
        for (method, isRight) in [
            (ClientAuthentication.secretBasic(secret), true), (.secretPost("wrong-secret"), false),
        ] {
            let own = OAuthClient(issuer: url, clientID: "conf") { config in
                config.httpClient = http
                config.scopes = ["api"]
                config.authentication = method
            }
            note(method)
            guard isRight else { return await noting { _ = try await own.clientCredentialsTokens() } }
            let tokens = try await own.clientCredentialsTokens()
            #expect(try await own.introspect(tokens.accessToken).isActive)
            note(try await own.exchange(TokenExchange(subjectToken: tokens.accessToken)))
        }
    }

    func callAndRefresh() async throws {
        let api = http.authorized(by: session, for: url)
        await identity.expireAccessTokens()
        for _ in 0..<2 { note(try await api.request { $0.url = url + "/protected" }) }
        note(try await client.userInfo(try await session.tokens()))
        note(try #require(try await session.current()))
    }

    func fail() async {
        let gone = OAuthClient(issuer: url, clientID: "pub") { config in
            config.metadata = ServerMetadata(issuer: url, tokenEndpoint: "http://127.0.0.1:9/token")
            config.httpClient = http
        }
        await noting { _ = try await gone.refresh(try #require(try await session.current())) }
        await noting {
            _ = try await client.tokens(
                from: "http://127.0.0.1:9/callback?code=a&state=b",
                for: try await client.authorizationRequest(redirectURI: "http://127.0.0.1:9/callback")
            )
        }
    }

    func end() async throws {
        let spent = try #require(try await session.current())
        try await session.refresh()
        await noting { _ = try await client.refresh(spent) }
        await noting { try await session.refresh() }
        await noting { _ = try await http.authorized(by: session, for: url).request { $0.url = url + "/protected" } }
    }

    /// Runs a closure that must fail, and logs its error in every form.
    private func noting(_ work: () async throws -> Void) async {
        do {
            try await work()
            Issue.record("no error was thrown")
        } catch {
            note(error)
            journal.add(error.localizedDescription)
            if let error = error as? OAuthError { note(error.failure) }
        }
    }

    private func note(_ value: some Any) {
        if let response = value as? HttpResponse {
            return journal.add("\(response) \(response.request) \(response.trace.map { "\($0)" } ?? "")")
        }
        var dumped = ""
        dump(value, to: &dumped)
        journal.add("\(value) \(String(reflecting: value)) \(dumped)")
    }
}

/// Collects the secrets of a test and those that servers issue.
private final class CollectedSecrets: Sendable {
    private static let members = ["access_token", "refresh_token", "id_token", "device_code", "client_secret", "code"]

    private let values: Locked<Set<String>>

    init(_ known: [String]) { values = Locked(Set(known)) }

    var all: Set<String> { values.withLock { $0 } }

    /// Adds the tokens and codes in the body of a response, its cookies, and the code in its `Location`.
    func collect(from response: HttpResponse) {
        var found: [String] = []
        if let body = response.body, let members = try? JSONDecoder().decode([String: JsonValue].self, from: body) {
            found += Self.members.compactMap { members[$0]?.string }
        }
        found += response.getCookies().map(\.value)
        if let location = response.getHeader(name: "Location") {
            let items = URLComponents(string: location)?.queryItems ?? []
            found += items.filter { $0.name == "code" }.compactMap(\.value)
        }
        values.withLock { $0.formUnion(found.filter { $0.utf8.count >= 8 }) }
    }

    /// Returns the secrets that a text contains, complete or a long part of them.
    func shown(in text: String) -> [String] {
        all.filter { secret in
            text.contains(secret) || secret.split(separator: ".").contains { $0.utf8.count >= 24 && text.contains($0) }
        }
    }
}
