import Sallyport
import SallyportGateway
import SallyportJourney
import SallyportOAuth

extension DemoStep {
    static let signIn = DemoStep(title: "Sign-in with a device code") { stage in
        let device = try await stage.signIn()
        let tokens = try require(try await stage.session.current(), "tokens")
        try require(tokens.refreshToken != nil && tokens.idToken != nil, "a refresh token and an id_token")
        let user = try await stage.oauth.userInfo(tokens).name ?? "the user"
        return "\(user) entered \(device.userCode) on another device; the id_token was verified"
    }

    static let protectedCall = DemoStep(title: "Protected call") { stage in
        let refused = try await stage.client.request { $0.url = stage.protectedURL }
        try require(refused.status == .unauthorized, "the status 401 without a token, not \(refused.status)")
        let response = try await stage.authorized.request { $0.url = stage.protectedURL }
        try require(response.status == .ok, "the status 200 with a token, not \(response.status)")
        return "401 without a token, 200 with the token of the session"
    }

    static let expiredToken = DemoStep(title: "1,000 calls, expired token") { stage in
        let before = await stage.identity.statistics.grants["refresh_token", default: 0]
        await stage.identity.expireAccessTokens()
        let statuses = try await withThrowingTaskGroup(of: HttpStatus.self) { group in
            for _ in 0..<1000 {
                group.addTask { try await stage.authorized.request { $0.url = stage.protectedURL }.status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let refreshes = await stage.identity.statistics.grants["refresh_token", default: 0] - before
        try require(statuses.allSatisfy { $0 == .ok }, "1,000 responses with status 200")
        try require(refreshes == 1, "the server to receive 1 refresh, not \(refreshes)")
        return "all calls succeeded, and the server received \(refreshes) refresh"
    }

    static let actionInterceptor = DemoStep(title: "Interceptor for one action") { stage in
        let configure = { (config: inout HttpClientConfiguration) in
            config.addInterceptor(ForcedAuthentication())
        }
        return try await stage.withClient(configure) { client in
            var request = HttpRequest(url: stage.baseURL + "/echo")
            request.isTraced = true
            request.action = Action(.authenticate, payload: ["tree": "Login"])
            let untouched = try await client.request(request: request).decode(DemoEcho.self)
            request.action = Action(.startAuthenticate, payload: ["tree": "Login"])
            let response = try await client.request(request: request)
            let echo = try response.decode(DemoEcho.self)
            try require(
                untouched.query.isEmpty && echo.target == "/echo?ForceAuth=true",
                "one of two requests to be changed"
            )
            let changes = response.trace?.attempts.flatMap(\.stages).first { $0.name == "ForcedAuthentication" }?
                .changes
            let change = try require(changes?.first, "the change in the trace")
            return "only START_AUTHENTICATE was changed; its trace: \(change)"
        }
    }

    static let revoked = DemoStep(title: "Revoked tokens") { stage in
        try await stage.oauth.revoke(try require(try await stage.session.current(), "tokens"))
        do throws(OAuthSessionError) {
            try await stage.session.refresh()
        } catch {
            guard case .ended(let refusal, _) = error else { throw error }
            return "the server refuses to refresh (\(refusal.error ?? "")), and the session has ended"
        }
        throw DemoMismatch(description: "expected revoked tokens not to be refreshed")
    }

    static let replay = DemoStep(title: "Replayed refresh token, refused") { stage in
        try await stage.signIn()
        let stolen = try require(try await stage.session.current(), "tokens")
        let tokens = try await stage.session.refresh()
        for token in [stolen, tokens] {
            do {
                _ = try await stage.oauth.refresh(token)
            } catch let error as OAuthError where error.isInvalidGrant {
                continue
            }
            throw DemoMismatch(description: "expected a refresh token that was replayed to end the session")
        }
        return "a used refresh token was sent again; the server revoked all tokens of the login"
    }
}

/// Adds a parameter to requests with one action.
private struct ForcedAuthentication: MessageInterceptor {
    func willSend(_ request: inout HttpRequest) {
        if request.action?.type == .startAuthenticate { request.setParameter(name: "ForceAuth", value: "true") }
    }
}
