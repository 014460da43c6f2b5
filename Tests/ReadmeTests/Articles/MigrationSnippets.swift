import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth
import SallyportResource
import SallyportService
import SallyportTesting
import SallyportTransfers

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The Swift blocks of the migration guides in Docs/Guides.docc that use Sallyport; see ReadmeTests. The code for the other libraries is in
// Tests/MigrationStandIns/Originals, and in the tests of the compatibility modules.

// Migrating-from-Alamofire.md

private func alamofireBooks(client: HttpClient) async throws -> Int {
    struct Book: Codable {
        var title: String
    }

    let response = try await client.request { request in
        request.url = "https://api.example.com/books"
        request.setParameter(name: "q", value: "swift")
    }
    guard response.status.isSuccess() else { return 0 }
    let books = try response.decode([Book].self)
    return books.count
}

private func alamofireAdded<Book: Codable & Sendable>(book: Book, client: HttpClient) async throws -> Book {
    let response = try await client.request { request in
        request.url = "https://api.example.com/books"
        request.post(json: book)
    }
    let added = try response.decode(Book.self)
    return added
}

private func alamofireLoad(client: HttpClient) {
    Task {
        do throws(NetworkError) {
            let response = try await client.request { request in request.url = "https://api.example.com/books" }
            print(response.status, response.bodyAsString())
        } catch {
            print(error.failure.reason, error.failure.advice ?? "")
        }
    }
}

private func alamofireSession(file: URL) -> HttpClient {
    let server = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
        config.scopes = ["openid", "offline_access"]
    }
    let session = OAuthSession(refresher: server, store: FileTokenStore(at: file))
    let client = HttpClient.createClient().authorized(by: session, for: "https://api.example.com")
    return client
}

private func alamofireRetries() -> HttpClient {
    let client = HttpClient.createClient { config in
        config.retry = .exponential(attempts: 4)
    }
    return client
}

private func alamofireUpload(photo: URL, client: HttpClient) async throws -> HttpResponse {
    var form = MultipartForm()
    form.append(name: "title", value: "Rome")
    form.append(name: "photo", file: photo)
    let transfer = client.upload { [form] request in
        request.url = "https://api.example.com/photos"
        request.multipart(form)
    }
    for await progress in transfer.progress { print(progress.fraction ?? 0) }
    let response = try await transfer.value
    return response
}

private func alamofireDownload(map: URL, client: HttpClient) async throws -> URL {
    var options = DownloadOptions()
    options.existingFile = .replace
    let transfer = client.download(to: .file(map), options: options) { request in
        request.url = "https://example.com/map.zip"
    }
    for await progress in transfer.progress { print(progress.fraction ?? 0) }
    let file = try await transfer.value.url
    return file
}

private func alamofirePins(currentKey: String, backupKey: String) throws -> HttpClient {
    let client = try HttpClient.createClient { config in
        try config.pins.pin("api.example.com", to: [currentKey, backupKey])  // "sha256/…"
    }
    return client
}

private func alamofireFailed(client: HttpClient) async {
    do throws(NetworkError) {
        let response = try await client.request { request in request.url = "https://api.example.com/books" }
        if !response.status.isSuccess() { print("status", response.status.code) }
    } catch {
        switch error {
        case .cancelled: break
        case .timeout, .connectionLost: print("try again:", error.failure.reason)
        default: print(error)
        }
    }
}

// Migrating-from-AsyncHTTPClient.md

private func asyncClient() throws -> HttpClient {
    let client = try HttpClient.createClient { config in
        config.timeouts.connect = .seconds(5)
        config.timeouts.idle = .seconds(30)
        config.redirects = .follow(limit: 5)
        config.proxy = .proxy(try Proxy("http://proxy.example.com:3128"))
    }
    return client
}

private func asyncBooks(client: HttpClient) async throws -> Int {
    struct Book: Codable {
        var title: String
    }

    let response = try await client.request { request in
        request.url = "https://api.example.com/books"
        request.setParameter(name: "q", value: "swift")
        request.timeout = 30
    }
    guard response.status == .ok else { return 0 }
    let books = try response.decode([Book].self)
    return books.count
}

private func asyncCreate(client: HttpClient, book: some Encodable) async throws -> HttpResponse {
    let response = try await client.request { request in
        request.url = "https://api.example.com/books"
        request.post(json: book)
    }
    return response
}

private func asyncSize(client: HttpClient) async throws -> Int {
    let size = try await client.stream { request in
        request.url = "https://api.example.com/export"
        request.timeout = 3600
    } handle: { response in
        var size = 0
        for try await chunk in response.bodyStream { size += chunk.count }
        return size
    }
    return size
}

private func asyncDownload(client: HttpClient) async throws -> DownloadedFile {
    let transfer = client.download(to: .file(URL(filePath: "/srv/map.zip"))) { request in
        request.url = "https://example.com/map.zip"
    }
    for await progress in transfer.progress { print(progress.fraction ?? 0) }
    let file = try await transfer.value
    return file
}

private func asyncFailed(client: HttpClient) async {
    do throws(NetworkError) {
        print(try await client.request { request in request.url = "https://api.example.com/books" }.status)
    } catch {
        if case .timeout(let failure) = error { print("try again:", failure.reason) } else { print(error) }
    }
}

private func asyncEnd(client: HttpClient) async {
    await client.shutdown(grace: .seconds(10))
}

// Migrating-from-Orchestrate.md

private enum FromOrchestrate {
    static func send(client: HttpClient, token: String) async throws -> HttpResponse {
        let response = try await client.request { request in
            request.url = "https://api.example.com/users"
            request.headers["Authorization"] = "Bearer \(token)"
            request.headers["Accept"] = "application/json"
            request.query["page"] = "1"
            request.post(json: ["name": "John", "email": "john@example.com"])
        }
        return response
    }

    static func change(_ request: inout HttpRequest, to urlRequest: URLRequest, theme: HTTPCookie) {
        request.url = urlRequest.url?.absoluteString
        request.setCookie(cookie: "\(theme.name)=\(theme.value)")
        request.setCookies(cookies: ["theme=dark", "language=en"])
    }

    static func fill(_ request: inout HttpRequest, data: Data) -> HttpMethod {
        request.post(json: ["key": "value"])
        request.put(json: ["key": "value"])
        request.delete(json: ["key": "value"])
        request.put(contentType: "application/xml", body: "<xml>data</xml>")
        request.form(parameters: ["username": "john", "password": "secret"])
        request.method = .post
        let method: HttpMethod = request.method
        request.setBody(data)
        request.get()
        return method
    }

    static func headers(of response: HttpResponse, _ request: HttpRequest) -> [String?] {
        let types: [String] = response.headers["Content-Type"] ?? []
        let type = response.getHeader(name: "Content-Type")
        let accepted = request.headers["Accept"]
        let all: [String: String] = request.getHeaders()
        return types + [type, accepted] + Array(all.values)
    }

    static func constants() -> ([String], String, HttpMethod) {
        let names = [NetworkConstants.headerContentType, NetworkConstants.headerAuthorization]
        let json = NetworkConstants.contentTypeJSON
        let post = HttpMethod.post
        return (names, json, post)
    }
}

// Migrating-from-AppAuth.md

private func appAuthServer() -> OAuthClient {
    let server = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
        config.scopes = ["openid", "profile", "offline_access"]
    }
    return server
}

private func appAuthSignedIn(
    server: OAuthClient,
    file: URL,
    agent: some AuthorizationAgent
) async throws -> OAuthSession {
    let session = OAuthSession(refresher: server, store: FileTokenStore(at: file))
    try await session.save(try await server.signIn(with: agent, parameters: ["prompt": "login"]))
    return session
}

private func appAuthKept(accessToken: String, refreshToken: String, session: OAuthSession) async throws {
    let tokens = OAuthTokens(accessToken: accessToken, expiresAt: .now, refreshToken: refreshToken)
    try await session.save(tokens)
}

private func appAuthCall(session: OAuthSession) async throws {
    let api = HttpClient.createClient().authorized(by: session, for: "https://api.example.com")
    let response = try await api.request { request in request.url = "https://api.example.com/me" }
    print(response.status)
}

private func appAuthIsSignedOut(_ error: NetworkError) -> Bool {
    let isSignedOut = (error.failure.underlying as? OAuthSessionError)?.isLoggedOut == true
    return isSignedOut
}

// Migrating-from-OneWelcome.md

private func oneWelcomeAccounts() async throws(ResourceError) -> Data? {
    let request = ResourceRequestFactory.makeResourceRequest(path: "accounts", method: .get, parameters: ["page": 2])
    let response = try await SharedUserClient.instance.sendAuthenticatedRequest(request)
    let data = response.data
    return data
}

private func oneWelcomeGreeting() async throws(ResourceError) {
    let request = ResourceRequestFactory.makeResourceRequest(path: "greeting")
    let response = try await SharedUserClient.instance.sendImplicitRequest(request)
    print(response.statusCode)
}

private func oneWelcomeAssets() async throws(ResourceError) {
    let assets = ResourceRequestFactory.makeResourceRequest(path: "assets")
    print(try await SharedDeviceClient.instance.sendAuthenticatedRequest(assets).statusCode)
    let news = ResourceRequestFactory.makeResourceRequest(path: "public")
    print(try await SharedDeviceClient.instance.sendUnauthenticatedRequest(news).statusCode)
}

private func oneWelcomePhoto(url: URL) async throws(ResourceError) {
    let photo = MultipartData(file: url, name: "photo", fileName: "me.jpg", mimeType: "image/jpeg")
    let request = ResourceRequestFactory.makeMultipartResourceRequest(
        path: "photos",
        method: .post,
        parameters: ["title": "Rome"],
        multipartData: [photo]
    )
    let response = try await SharedUserClient.instance.sendAuthenticatedRequest(request)
    print(response.statusCode)
}

private func oneWelcomeFailed(_ error: ResourceError) -> Bool {
    let mustSignIn = error.reason == .userNotAuthenticated
    return mustSignIn
}

// Migrating-from-PingNetwork.md

private func pingLoad(client: HttpClient) async {
    do throws(NetworkError) {
        let response = try await client.request { request in
            request.url = "https://api.example.com/users"
            request.setParameter(name: "page", value: "1")
        }
        print(response.status.code, response.bodyAsString())
    } catch {
        print(error)
    }
}

private func pingConfigured(session: OAuthSession) -> HttpClient {
    let client = HttpClient.createClient { config in
        config.timeout = 30
        config.authentication = [.oauth(session, for: "https://api.example.com")]
        config.onResponse { response in print(response.status.code) }
    }
    return client
}

private func pingReused(client: HttpClient) async throws -> HttpResponse {
    var request = client.request()
    request.url = "https://api.example.com/users"
    let response = try await client.request(request: request)
    return response
}

private func pingFailed(_ error: NetworkError) {
    switch error {
    case .timeout: print("Request timed out")
    case .invalidRequest(let failure): print("Invalid request: \(failure.reason)")
    case .hostNotFound, .connectionFailed, .connectionLost: print("Network error: \(error)")
    default: print(error)
    }
}

private func pingMocked() -> HttpClient {
    let transport = MockTransport()
    transport.on(.get, "/users", .json("[]"))
    let client = HttpClient.createClient { config in config.transport = transport }
    return client
}

// Migrating-Request-Interceptors.md

private enum FromPingInterceptors {
    struct LanguageInterceptor: MessageInterceptor {
        func willSend(_ request: inout HttpRequest) {
            guard request.action?.type == "START_AUTHENTICATE" else { return }
            request.setParameter(name: "ForceAuth", value: "true")
            request.setHeader(name: "Accept-Language", value: "en-GB")
        }
    }

    static func register(settings: JourneyConfiguration) -> Journey {
        let client = HttpClient.createClient { config in config.addInterceptor(LanguageInterceptor()) }
        let journey = Journey(settings, httpClient: client)
        return journey
    }

    struct GoldInterceptor: MessageInterceptor {
        func willSend(_ request: inout HttpRequest) {
            if request.action != nil { request.setCookie(cookie: "member=gold") }
        }
    }

    final class Counter: MessageInterceptor, @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0

        var total: Int { lock.withLock { count } }

        func willSend(_ request: inout HttpRequest) {
            if request.action != nil { lock.withLock { count += 1 } }
        }
    }
}

// Migrating-from-Network-Service.md

private enum FromNetworkService {
    struct User: Codable, Sendable {
        var name: String?
    }

    struct GetUser: Endpoint {
        typealias Response = User
        var path: EndpointPath { "/user" }
    }

    static func configured(client: HttpClient) throws -> ServiceClient {
        var configuration = try ServiceClientConfiguration(baseURL: "https://api.example.com/v1")
        configuration.timeout = 20
        configuration.responseFormat = .enveloped()  // the model is in the body of the envelope
        let service = ServiceClient(configuration, client: client)
        return service
    }

    static func called(service: ServiceClient) async {
        do throws(NetworkServiceError) {
            let user = try await service.call(GetUser())
            print(user.name ?? "")
        } catch {
            print(error.info.message ?? "")
        }
    }

    static func tokens(
        accessToken: String,
        refreshToken: String,
        session: OAuthSession
    ) async throws -> HttpClient {
        try await session.save(OAuthTokens(accessToken: accessToken, refreshToken: refreshToken))
        let client = HttpClient.createClient().authorized(by: session, for: "https://api.example.com")
        return client
    }

    struct RefreshTokens: Endpoint {
        struct Response: Decodable, Sendable {
            var access_token: String
            var refresh_token: String?
            var expires_in: Double?
        }

        var refreshToken: String
        var path: EndpointPath { "/auth/refresh" }
        var method: HttpMethod { .post }
        var responseFormat: ResponseFormat? { .enveloped() }  // the tokens are in the body of the envelope

        func prepare(_ request: inout HttpRequest) {
            request.setHeader(name: "Authorization", value: refreshToken, isSensitive: true)
            request.requiresSecureTransport = true
        }
    }

    struct ServiceRefresher: TokenRefresher {
        let identity = OAuthClientIdentity(issuer: "https://api.example.com", clientID: "NetworkService")
        let service: ServiceClient  // without the session

        func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
            do throws(NetworkServiceError) {
                let new = try await service.call(RefreshTokens(refreshToken: tokens.refreshToken ?? ""))
                let expiry = new.expires_in.map { Date(timeIntervalSinceNow: $0) }
                return OAuthTokens(accessToken: new.access_token, expiresAt: expiry, refreshToken: new.refresh_token)
            } catch {
                if let networkError = error.info.networkError { throw networkError }
                let status = error.info.status?.code
                let isEnded = [400, 401, 403].contains(status)  // the session then removes the tokens
                let failure = NetworkFailure(error.info.description)
                throw OAuthError(error: isEnded ? "invalid_grant" : nil, status: status, failure: failure)
            }
        }
    }
}
