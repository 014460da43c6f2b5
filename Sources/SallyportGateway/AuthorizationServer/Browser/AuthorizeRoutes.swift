import Hummingbird

/// The authorization endpoint with its login and consent pages, and the logout endpoint.
@available(macOS 14, iOS 17, tvOS 17, *)
struct AuthorizeRoutes: RouteGroup {
    let server: AuthorizationServer
    let paths: EndpointPaths

    var routeDescriptions: [String: String] {
        [
            paths.authorize: "GET, POST: asks the user to sign in and to consent, and redirects with a code.",
            paths.endSession: "GET, POST: signs the user out, after confirmation unless an id_token_hint is theirs.",
        ]
    }

    private var pages: BrowserPages { BrowserPages(server: server) }

    func addRoutes(to router: Router<GatewayContext>) {
        router.get(RouterPath(paths.authorize)) { request, _ in
            try await respond(to: request) { session in
                (await server.authorize(try request.queryParameters(), session: session, paths: paths), nil)
            }
        }
        router.post(RouterPath(paths.authorize)) { request, _ in
            // Browsers do not send the SameSite cookie with a form of another site, but with the GET after this redirect.
            try await respond(to: request) { _ in
                (.redirect("\(paths.authorize)?\(try await request.form().query)"), nil)
            }
        }
        router.post(RouterPath(paths.login)) { request, _ in
            try await respond(to: request) { await server.submitLogin(try await request.form(), cookie: $0.token) }
        }
        router.post(RouterPath(paths.consent)) { request, _ in
            try await respond(to: request) { session in
                (await server.submitConsent(try await request.form(), cookie: session.token), nil)
            }
        }
        router.get(RouterPath(paths.endSession)) { request, _ in
            try await respond(to: request) { session in
                (await server.endSession(try request.queryParameters(), cookie: session.token), nil)
            }
        }
        router.post(RouterPath(paths.endSession)) { request, _ in
            try await respond(to: request) { session in
                (await server.endSession(try await request.form(), cookie: session.token), nil)
            }
        }
    }

    private func respond(
        to request: Request,
        _ step: (_ session: PresentedSession) async throws -> (AuthorizationStep, cookie: String?)
    ) async throws -> Response {
        let session = await pages.session(of: request)
        do {
            let (step, newCookie) = try await step(session)
            return await show(step, cookie: session.token, newCookie: newCookie)
        } catch let refusal as OAuthRefusal {
            return await pages.message("This link does not work", refusal.description)
        }
    }

    private func show(_ step: AuthorizationStep, cookie: String?, newCookie: String?) async -> Response {
        switch step {
        case .redirect(let address):
            return await pages.redirect(to: address, newCookie: newCookie, status: paths.redirect)
        case .login(let form, let username, let problem):
            return await pages.show(cookie: cookie, newCookie: newCookie, destination: form.destination) { cookie in
                LoginPage(
                    clientName: form.clientName,
                    action: paths.login,
                    hidden: hidden(form, cookie),
                    username: username,
                    problem: problem
                )
            }
        case .consent(let form, let username, let scopes):
            return await pages.show(cookie: cookie, newCookie: newCookie, destination: form.destination) { cookie in
                ConsentPage(
                    clientName: form.clientName,
                    username: username,
                    scopes: scopes.map(ScopeText.described),
                    action: paths.consent,
                    hidden: hidden(form, cookie)
                )
            }
        case .endSession(let form, let username, let fields):
            return await pages.show(cookie: cookie, newCookie: newCookie, destination: form.destination) { cookie in
                let token = server.formKey.token(for: form.subject, cookie: cookie)
                return SignOutPage(
                    clientName: form.clientName,
                    username: username,
                    action: paths.endSession,
                    hidden: fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [("csrf", token)]
                )
            }
        case .message(let title, let text, let isProblem):
            return await pages.message(title, text, isProblem: isProblem)
        }
    }

    private func hidden(_ form: AuthorizationForm, _ cookie: String) -> [(name: String, value: String)] {
        [("authorization", form.subject), ("csrf", server.formKey.token(for: form.subject, cookie: cookie))]
    }
}
