import Foundation
import NetworkServiceCompatibility
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

extension SharedConfigurationSuites {
    @Suite(.concurrencyLimited) @MainActor struct OAuthTokenServiceTests {
        struct GetProtected: NetworkServiceDelegate {
            static var path = "/protected"
            static var method = NetworkServiceHTTPMethod.get
            typealias V = BaseModel
        }

        struct Login: NetworkServiceDelegate {
            static var path = "/login"
            static var method = NetworkServiceHTTPMethod.post
            typealias V = OAuthTokenModel
        }

        struct AddToProfile: UploadServiceDelegate {
            static var path = "/profile"
            static var method = NetworkServiceHTTPMethod.post
            static var parameters: [String: Any]? = ["a.txt": Data("a".utf8)]
            typealias V = EchoModel
        }

        private func save(_ grant: TokenBook.Grant) {
            let tokens = OAuthTokenModel()
            tokens.accessToken = grant.accessToken
            tokens.refreshToken = grant.refreshToken
            OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
        }

        private func refresh() async -> Bool {
            await withCheckedContinuation { continuation in
                OAuthTokenService().refreshToken { continuation.resume(returning: $0) }
            }
        }

        @Test func `Requests carry a token from when it is saved until it is reset`() async throws {
            try await EnvelopeServer.run { server in
                #expect(!OAuthTokenService.findOAuthToken())
                #expect(!OAuthTokenService.findOAuthRefreshToken())
                #expect(await NetworkService<GetEcho>().outcome().response?.data?.headers["authorization"] == nil)

                let grant = server.book.update { $0.logIn() }
                save(grant)
                #expect(OAuthTokenService.findOAuthToken())
                #expect(OAuthTokenService.findOAuthRefreshToken())
                let echo = await NetworkService<GetEcho>().outcome().response?.data
                #expect(echo?.headers["authorization"] == "Bearer \(grant.accessToken)")
                #expect(OAuthTokenService.findOAuthToken())

                OAuthTokenService.resetAuthTokens()
                #expect(!OAuthTokenService.findOAuthToken())
                #expect(!OAuthTokenService.findOAuthRefreshToken())
                #expect(await NetworkService<GetEcho>().outcome().response?.data?.headers["authorization"] == nil)
                #expect(!OAuthTokenService.findOAuthToken())
            }
        }

        @Test func `Ten calls with an invalid token cause one refresh and succeed with the new token`() async throws {
            try await EnvelopeServer.run { server in
                save(server.book.update { $0.logIn() })
                server.book.update { $0.endAccessTokens() }
                let successes = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<10 {
                        group.addTask { await NetworkService<GetProfile>().outcome().response?.data != nil }
                    }
                    return await group.reduce(into: 0) { count, isSuccess in count += isSuccess ? 1 : 0 }
                }
                #expect(successes == 10)
                #expect(server.book.value.refreshes == 1)
                #expect(server.book.value.replays == 0)
            }
        }

        @Test func `The tokens in the response to a login call can be saved, and are then sent`() async throws {
            try await EnvelopeServer.run { _ in
                let tokens = try #require(await NetworkService<Login>().outcome(["user": "ada"]).response?.data)
                #expect(tokens.tokenType == "Bearer")
                #expect(tokens.expiresIn == 3600)
                OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
                let profile = await NetworkService<GetProfile>().outcome().response?.data
                #expect(profile?.headers["authorization"] == "Bearer \(tokens.accessToken ?? "")")
            }
        }

        @Test func `Uploads and downloads carry the token, and are repeated with a refreshed one`() async throws {
            try await EnvelopeServer.run { server in
                save(server.book.update { $0.logIn() })
                server.book.update { $0.endAccessTokens() }
                let uploaded: String? = await withCheckedContinuation { continuation in
                    UploadService<AddToProfile>(uploadIdentifier: nil, uploadProgressCallback: nil)
                        .upload(withKey: "file") { response, _ in
                            continuation.resume(returning: response?.data?.headers["authorization"])
                        }
                }
                #expect(uploaded == "Bearer canary-access-2")
                #expect(server.book.value.refreshes == 1)

                server.book.update { $0.endAccessTokens() }
                let downloaded: String = await withCheckedContinuation { continuation in
                    let service = DownloadService(
                        serviceConfiguration: nil,
                        downloadIdentifier: nil,
                        downloadProgressCallback: nil
                    )
                    service.download(downloadPath: "/profile", fileName: "profile") { file, _ in
                        continuation.resume(returning: String(decoding: file as? Data ?? Data(), as: UTF8.self))
                    }
                }
                #expect(downloaded.contains("Bearer canary-access-3"))
                #expect(server.book.value.refreshes == 2)
                #expect(server.book.value.replays == 0)
            }
        }

        @Test func `A redirected request is repeated with a refreshed token as well`() async throws {
            try await EnvelopeServer.run { server in
                save(server.book.update { $0.logIn() })
                server.book.update { $0.endAccessTokens() }
                let profile = await NetworkService<GetMovedProfile>().outcome().response?.data
                #expect(profile?.target == "/api/profile")
                #expect(server.book.value.refreshes == 1)
            }
        }

        @Test func `If the server refuses the refresh token, its response to a request without a token is passed on`()
            async throws
        {
            try await EnvelopeServer.run { server in
                save(server.book.update { $0.logIn() })
                server.book.update { $0.endLogins() }
                let (response, error) = await NetworkService<GetProfile>().outcome()
                #expect(error == nil)
                #expect(response?.status?.message == "Log in.")
                #expect(!OAuthTokenService.findOAuthToken())
                #expect(await NetworkService<GetProfile>().outcome().response?.status?.message == "Log in.")
            }
        }

        @Test func `If the server cannot refresh the token, its response is passed on, and the tokens remain`()
            async throws
        {
            try await EnvelopeServer.run { server in
                NetworkServiceConfiguration.refreshPath = "/other"
                save(server.book.update { $0.logIn() })
                server.book.update { $0.endAccessTokens() }
                let (response, error) = await NetworkService<GetProfile>().outcome()
                #expect(error == nil)
                #expect(response?.status?.message == "Log in.")
                #expect(OAuthTokenService.findOAuthRefreshToken())
            }
        }

        @Test func `If the refresh gets no response, the callback receives the error of the network`() async throws {
            let head = "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            try await withScriptedServer([[.receiveRequest, .send(head)], [.receiveRequest, .close]]) { server in
                try await withBaseURL("http://\(server.authority)") {
                    var book = TokenBook()
                    save(book.logIn())
                    let (response, error) = await NetworkService<GetProfile>().outcome()
                    #expect(response == nil)
                    #expect(error?.networkError != nil, "\(String(describing: error))")
                    #expect(server.requests.filter { $0.target == "/profile" }.count == 1)
                }
            }
        }

        @Test func `The token takes precedence over a header of the configuration`() async throws {
            try await EnvelopeServer.run { server in
                NetworkServiceConfiguration.headers["authorization"] = "Basic YTpi"
                let first = await NetworkService<GetEcho>().outcome().response?.data
                #expect(first?.headers["authorization"] == "Basic YTpi")
                let grant = server.book.update { $0.logIn() }
                save(grant)
                let second = await NetworkService<GetEcho>().outcome().response?.data
                #expect(second?.headers["authorization"] == "Bearer \(grant.accessToken)")
            }
        }

        @Test func `An empty refresh token is none`() async throws {
            try await withBaseURL("https://api.example.com") {
                let tokens = try #require(OAuthTokenModel(JSON: ["access_token": "a", "refresh_token": ""]))
                OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
                #expect(OAuthTokenService.findOAuthToken())
                #expect(!OAuthTokenService.findOAuthRefreshToken())
            }
        }

        @Test func `Tokens in memory are found although all threads ask for them`() async throws {
            try await EnvelopeServer.run { server in
                save(server.book.update { $0.logIn() })
                #expect(await NetworkService<GetProfile>().outcome().response?.data != nil)
                let isFound = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<32 { group.addTask { OAuthTokenService.findOAuthToken() } }
                    return await group.reduce(true) { $0 && $1 }
                }
                #expect(isFound)
            }
        }

        @Test func `The tokens are refreshed on request, at the configured path`() async throws {
            try await EnvelopeServer.run { server in
                #expect(await !refresh())
                save(server.book.update { $0.logIn() })
                #expect(await refresh())
                #expect(server.book.value.refreshes == 1)
                NetworkServiceConfiguration.refreshPath = "/other"
                #expect(await !refresh())
                #expect(OAuthTokenService.findOAuthToken())
                #expect(server.book.value.refreshes == 1)
            }
        }

        @Test func `An expired token without a refresh token is not available`() async throws {
            try await withBaseURL("https://api.example.com") {
                let tokens = OAuthTokenModel()
                tokens.accessToken = "expired"
                tokens.expiresIn = -1
                OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
                #expect(!OAuthTokenService.findOAuthToken())
                tokens.refreshToken = "refresh"
                OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
                #expect(OAuthTokenService.findOAuthToken())
            }
        }

        @Test func `An expired token that cannot be refreshed is not sent`() async throws {
            try await EnvelopeServer.run { _ in
                let tokens = OAuthTokenModel()
                tokens.accessToken = "expired"
                tokens.expiresIn = -1
                OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
                let echo = await NetworkService<GetEcho>().outcome().response?.data
                #expect(echo?.method == "GET")
                #expect(echo?.headers["authorization"] == nil)
            }
        }

        @Test(arguments: ["http://api.example.com", "api.example.com"])
        func `Tokens are not stored for a base URL to which they must not be sent`(url: String) async throws {
            try await withBaseURL(url) {
                var book = TokenBook()
                save(book.logIn())
                #expect(!OAuthTokenService.findOAuthToken())
                let stored = try await OAuthTokenService.store.load()
                #expect(stored == nil)
            }
        }

        @Test func `Tokens are not sent to the server of another base URL`() async throws {
            try await EnvelopeServer.run { first in
                save(first.book.update { $0.logIn() })
                #expect(await NetworkService<GetProfile>().outcome().response?.data != nil)
                let store = OAuthTokenService.store
                try await EnvelopeServer.run { _ in
                    OAuthTokenService.store = store
                    #expect(!OAuthTokenService.findOAuthToken())
                    let (response, error) = await NetworkService<GetEcho>().outcome()
                    #expect(error == nil)
                    #expect(response?.data != nil)
                    #expect(response?.data?.headers["authorization"] == nil)
                }
            }
        }

        @Test func `Saved tokens are found in the file by another store`() async throws {
            try await withTemporaryDirectory { folder in
                try await withBaseURL("https://api.example.com") {
                    let file = folder.appendingPathComponent("tokens/tokens.json")
                    OAuthTokenService.store = FileTokenStore(at: file)
                    let tokens = try #require(OAuthTokenModel(JSON: ["access_token": "a", "refresh_token": "r"]))
                    OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
                    let path = file.path
                    #expect(try await eventually { FileManager.default.fileExists(atPath: path) ? true : nil } == true)
                    OAuthTokenService.store = FileTokenStore(at: file)
                    #expect(OAuthTokenService.findOAuthToken())
                    #expect(OAuthTokenService.findOAuthRefreshToken())
                }
            }
        }

        @Test func `Tokens are decoded from the JSON of the gateway, which then accepts them`() async throws {
            var configuration = try AuthorizationServerConfiguration.development()
            configuration.signatureAlgorithms = [.es256]
            let server = try AuthorizationServer(configuration)
            try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
                try await withBaseURL(gateway.baseURL) {
                    #expect(await NetworkService<GetProtected>().outcome().error?.status == .unauthorized)

                    let client = HttpClient.createClient { config in
                        config.authentication = [
                            .basic(user: "conf", password: "s3cret-conf", for: gateway.baseURL)
                        ]
                    }
                    let response = try await client.request { request in
                        request.url = gateway.baseURL + "/token"
                        request.form(parameters: ["grant_type": "client_credentials", "scope": "api"])
                    }
                    let object = try JSONSerialization.jsonObject(with: response.body ?? Data())
                    let json = try #require(object as? [String: Any])
                    let tokens = try #require(OAuthTokenModel(JSON: json))
                    #expect(tokens.tokenType == "Bearer")
                    #expect(try #require(tokens.expiresIn) > 0)
                    #expect(tokens.refreshToken == nil)
                    #expect(SeedModels.OAuthTokenModel(JSON: json)?.accessToken == tokens.accessToken)

                    OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
                    // The response has no status and no body, so it is an error with the successful response.
                    #expect(await NetworkService<GetProtected>().outcome().error?.status == .ok)
                }
            }
        }
    }
}
