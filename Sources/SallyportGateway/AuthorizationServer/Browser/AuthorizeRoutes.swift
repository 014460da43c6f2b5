import Hummingbird

/// The authorization endpoint with its login and consent pages, and the logout endpoint.
@available(macOS 14, iOS 17, tvOS 17, *)
struct AuthorizeRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = [
        "/authorize": "GET, POST: asks the user to sign in and to consent, and redirects the browser with a code.",
        "/end_session": "GET, POST: signs the browser out, after confirmation unless an id_token_hint is for its user.",
    ]

    private var pages: BrowserPages { BrowserPages(server: server) }

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/authorize") { request, _ in
            try await respond(to: request) { cookie in
                (await server.authorize(try request.queryParameters(), cookie: cookie), nil)
            }
        }
        router.post("/authorize") { request, _ in
            // Browsers do not send the SameSite cookie with a form of another site, but with the GET after this redirect.
            try await respond(to: request) { _ in (.redirect("/authorize?\(try await request.form().query)"), nil) }
        }
        router.post("/authorize/login") { request, _ in
            try await respond(to: request) { await server.submitLogin(try await request.form(), cookie: $0) }
        }
        router.post("/authorize/consent") { request, _ in
            try await respond(to: request) { (await server.submitConsent(try await request.form(), cookie: $0), nil) }
        }
        router.get("/end_session") { request, _ in
            try await respond(to: request) { (await server.endSession(try request.queryParameters(), cookie: $0), nil) }
        }
        router.post("/end_session") { request, _ in
            try await respond(to: request) { (await server.endSession(try await request.form(), cookie: $0), nil) }
        }
    }

    private func respond(
        to request: Request,
        _ step: (_ cookie: String?) async throws -> (AuthorizationStep, cookie: String?)
    ) async throws -> Response {
        let cookie = await pages.cookie(of: request)
        do {
            let (step, newCookie) = try await step(cookie)
            return await show(step, cookie: cookie, newCookie: newCookie)
        } catch let refusal as OAuthRefusal {
            return await pages.message("This link does not work", refusal.description)
        }
    }

    private func show(_ step: AuthorizationStep, cookie: String?, newCookie: String?) async -> Response {
        switch step {
        case .redirect(let address):
            return await pages.redirect(to: address, newCookie: newCookie)
        case .login(let form, let username, let problem):
            return await pages.show(cookie: cookie, newCookie: newCookie, destination: form.destination) { cookie in
                LoginPage(
                    clientName: form.clientName,
                    action: "/authorize/login",
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
                    action: "/authorize/consent",
                    hidden: hidden(form, cookie)
                )
            }
        case .endSession(let form, let username, let fields):
            return await pages.show(cookie: cookie, newCookie: newCookie, destination: form.destination) { cookie in
                let token = server.formKey.token(for: form.subject, cookie: cookie)
                return SignOutPage(
                    clientName: form.clientName,
                    username: username,
                    action: "/end_session",
                    hidden: fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [("csrf", token)]
                )
            }
        case .message(let title, let text, let isProblem):
            return await pages.message(title, text, isProblem: isProblem)
        }
    }

    private func hidden(_ form: AuthorizationForm, _ cookie: String) -> [(name: String, value: String)] {
        [("transaction", form.subject), ("csrf", server.formKey.token(for: form.subject, cookie: cookie))]
    }
}
