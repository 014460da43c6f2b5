import Foundation
import Sallyport
import SallyportLoopback
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

extension IdentityServerSuites {
    /// Logins with code and PKCE at Glewlwyd in Chromium. The OAuth requests are made by hand, to test only the browser's part.
    @Suite(
        .concurrencyLimited,
        .enabled(
            if: RealBrowser.command != nil && RealBrowser.issuer != nil,
            "run .ci/real-servers to have both started"
        )
    )
    struct BrowserLoginTests {
        private let issuer = RealBrowser.issuer ?? ""
        private let client = HttpClient()
        /// RFC 7636, appendix B.
        private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

        private struct Client {
            var id = ""
            var secret = ""
            var redirectURI = ""
        }

        /// Registers a client for a redirect URI with any port. It has a secret, because Glewlwyd issues no tokens to a public
        /// client that has registered itself.
        private func register(_ redirectURI: String) async throws -> Client {
            let response = try await client.request { request in
                request.url = "\(issuer)/register"
                request.post(json: [
                    "client_name": "Harbour", "redirect_uris": [redirectURI],
                    "token_endpoint_auth_method": "client_secret_basic",
                    "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
                    "scope": "openid api",
                ])
            }
            let answer = try JSONDecoder().decode([String: JsonText].self, from: response.body ?? Data())
            return Client(
                id: try #require(answer["client_id"]?.text),
                secret: try #require(answer["client_secret"]?.text),
                redirectURI: redirectURI
            )
        }

        private func exchange(_ code: String, _ registered: Client) async throws -> HttpResponse {
            try await client.request { request in
                request.url = "\(issuer)/token"
                let credentials = Data("\(registered.id):\(registered.secret)".utf8).base64EncodedString()
                request.setHeader(name: "Authorization", value: "Basic \(credentials)")
                request.form(parameters: [
                    "grant_type": "authorization_code", "code": code, "redirect_uri": registered.redirectURI,
                    "code_verifier": verifier,
                ])
            }
        }

        @Test func `A user signs in and returns with a code that can be exchanged once`() async throws {
            let visit = RealBrowser.Visit("login", user: "alice", password: "wonderland")
            let registered = Locked(Client())
            let (returned, steps) = await visit.authorize { redirectURI in
                let client = try await register(redirectURI)
                registered.withLock { $0 = client }
                var url = try #require(URLComponents(string: "\(issuer)/auth"))
                url.queryItems = [
                    ("response_type", "code"), ("client_id", client.id), ("redirect_uri", redirectURI),
                    ("scope", "openid api"), ("state", "s1"), ("nonce", "n1"), ("code_challenge", challenge),
                    ("code_challenge_method", "S256"),
                ].map(URLQueryItem.init)
                return AuthorizationRequest(url: try #require(url.string), redirectURI: redirectURI, state: "s1")
            }
            let callback = try #require(try? returned.get(), "\(returned): \(steps)")
            let client = registered.withLock { $0 }
            let redirectURI = client.redirectURI
            #expect(redirectURI.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/cb/) != nil)
            let items = URLComponents(string: callback)?.queryItems ?? []
            #expect(callback.hasPrefix("\(redirectURI)?"))
            #expect(items.first { $0.name == "state" }?.value == "s1")
            #expect(items.first { $0.name == "iss" }?.value == issuer)
            let code = try #require(items.first { $0.name == "code" }?.value)

            let tokens = try await exchange(code, client)
            #expect(tokens.status == .ok, "\(tokens.bodyAsString())")
            let answer = try JSONDecoder().decode([String: JsonText].self, from: tokens.body ?? Data())
            let token = try #require(answer["access_token"]?.text)
            let user = try await self.client.request { request in
                request.url = "\(issuer)/userinfo"
                request.setHeader(name: "Authorization", value: "Bearer \(token)")
            }
            #expect(user.status == .ok && user.bodyAsString().contains("\"sub\""))
            #expect(try await exchange(code, client).status != .ok)

            #expect(steps.contains("sign in"), "\(steps)")
            #expect(steps.contains("done at \(redirectURI)"), "\(steps)")
            #expect(!steps.contains(code))
        }

        @Test func `A wrong password leaves the user at the server, and the browser reports it`() async throws {
            let visit = RealBrowser.Visit("wrong-password", user: "alice", password: "wrong")
            let told = AsyncStream.makeStream(of: BrowserNotice.self)
            let task = Task {
                await visit.authorize { notice in
                    told.continuation.yield(notice)
                } _: { redirectURI in
                    let client = try await register(redirectURI)
                    let query = "response_type=code&client_id=\(client.id)&redirect_uri=\(redirectURI)&scope=openid"
                    let url = "\(issuer)/auth?\(query)&code_challenge=\(challenge)&code_challenge_method=S256&nonce=n1"
                    return AuthorizationRequest(url: url, redirectURI: redirectURI, state: "s1")
                }
            }
            let notOpened = await told.stream.first { if case .notOpened = $0 { true } else { false } }
            #expect(notOpened?.description.contains("ended with status 1") == true)
            task.cancel()
            #expect(await task.value.log.contains("Authentication error"))
        }
    }
}
