import Hummingbird

/// The verification pages of the device grant (RFC 8628, section 3.3), which ask for the code, login and consent.
@available(macOS 14, iOS 17, tvOS 17, *)
struct DeviceAuthorizationRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = ["/device?user_code=": "GET, POST: connects a device that shows a code."]

    private static let subject = "device"
    private var pages: BrowserPages { BrowserPages(server: server) }

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/device") { request, _ in
            let code = (try? request.queryParameters())?["user_code"] ?? ""
            return await ask(code: String(code.prefix(64)), cookie: await pages.cookie(of: request))
        }
        add("/device", to: router) { form, cookie in
            guard let session = await server.session(cookie) else { return await askLogin(form, cookie: cookie) }
            return await askConsent(form, session, cookie: cookie)
        }
        add("/device/login", to: router) { form, cookie in
            switch await server.signIn(form, replacing: cookie) {
            case .success(let (session, new)): await askConsent(form, session, cookie: cookie, newCookie: new)
            case .failure(let problem): await askLogin(form, cookie: cookie, problem: problem.sentence)
            }
        }
        add("/device/consent", to: router) { form, cookie in
            guard let session = await server.session(cookie),
                let device = await server.pendingDevice(form["user_code"] ?? "", typedBy: session)
            else { return await outdated }
            let isAllowed = form["decision"] == "allow"
            guard await server.decide(device.code, isAllowed: isAllowed, by: session) else {
                return await outdated
            }
            return isAllowed
                ? await pages.message("The device is connected", "You can close this page.", isProblem: false)
                : await pages.message(
                    "The device is not connected",
                    "You denied the request. You can close this page.",
                    isProblem: false
                )
        }
    }

    private func add(
        _ path: RouterPath,
        to router: Router<GatewayContext>,
        handler: @escaping @Sendable (FormParameters, String?) async -> Response
    ) {
        router.post(path) { request, _ in
            let cookie = await pages.cookie(of: request)
            guard let form = try? await request.form(),
                server.formKey.accepts(form["csrf"], for: Self.subject, cookie: cookie)
            else { return await outdated }
            return await handler(form, cookie)
        }
    }

    private var outdated: Response {
        get async { await pages.message("This page is out of date", "Open /device again, and enter the code again.") }
    }

    private func ask(code: String, cookie: String?, newCookie: String? = nil, problem: String? = nil) async
        -> Response
    {
        await pages.show(cookie: cookie, newCookie: newCookie) { cookie in
            DevicePage(action: "/device", userCode: code, problem: problem, hidden: hidden(cookie))
        }
    }

    private func askLogin(_ form: FormParameters, cookie: String?, problem: String? = nil) async -> Response {
        await pages.show(cookie: cookie) { cookie in
            LoginPage(
                clientName: "a device",
                action: "/device/login",
                hidden: hidden(cookie, code: form["user_code"]),
                username: form["username"] ?? "",
                problem: problem
            )
        }
    }

    private func askConsent(
        _ form: FormParameters,
        _ session: UserSession,
        cookie: String?,
        newCookie: String? = nil
    ) async -> Response {
        let code = form["user_code"] ?? ""
        guard let device = await server.pendingDevice(code, typedBy: session) else {
            let problem = "There is no device with this code, or the code has expired."
            return await ask(code: "", cookie: cookie, newCookie: newCookie, problem: problem)
        }
        return await pages.show(cookie: cookie, newCookie: newCookie) { cookie in
            ConsentPage(
                clientName: device.authorization.client.name,
                username: session.user.username,
                scopes: device.authorization.scopes.map(ScopeText.described),
                action: "/device/consent",
                hidden: hidden(cookie, code: code)
            )
        }
    }

    private func hidden(_ cookie: String, code: String? = nil) -> [(name: String, value: String)] {
        let token = [(name: "csrf", value: server.formKey.token(for: Self.subject, cookie: cookie))]
        return token + (code.map { [("user_code", $0)] } ?? [])
    }
}
