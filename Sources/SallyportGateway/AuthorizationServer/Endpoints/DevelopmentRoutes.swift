import HTTPTypes
import Hummingbird

/// Triggers events that happen only occasionally on real servers, such as the rotation of keys, for tests.
///
/// The required header protects against web pages of other origins, which cannot send it.
@available(macOS 14, iOS 17, tvOS 17, *)
struct DevelopmentRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = [
        "/development/rotate-keys?lead=0":
            "POST with X-Sallyport-Development: 1: creates a signing key, which signs after that many seconds.",
        "/development/expire-access-tokens": "POST with the same header: ends all access tokens.",
        "/development/deregister-device?client_id=": "POST with the same header: deregisters a device.",
        "/development/deregister-user?sub=": "POST with the same header: deregisters a user on all devices.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post("/development/rotate-keys") { request, _ in
            try check(request)
            let lead: Int = try request.query("lead", in: 0...86_400, default: 0)
            try await server.rotateSigningKeys(lead: Double(lead))
            return HTTPResponse.Status.noContent
        }
        router.post("/development/expire-access-tokens") { request, _ in
            try check(request)
            await server.expireAccessTokens()
            return HTTPResponse.Status.noContent
        }
        router.post("/development/deregister-device") { request, _ in
            try check(request)
            let isFound = await server.deregisterDevice(request.query("client_id") ?? "")
            return isFound ? HTTPResponse.Status.noContent : .notFound
        }
        router.post("/development/deregister-user") { request, _ in
            try check(request)
            let count = await server.deregisterUser(request.query("sub") ?? "")
            return count > 0 ? HTTPResponse.Status.noContent : .notFound
        }
    }

    private func check(_ request: Request) throws {
        guard let name = HTTPField.Name("X-Sallyport-Development"), request.headers[name] == "1" else {
            throw HTTPError(.forbidden, message: "The header X-Sallyport-Development: 1 is needed.")
        }
    }
}

/// The statistics of the authorization server.
@available(macOS 14, iOS 17, tvOS 17, *)
struct StatisticsRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = [
        "/statistics": "GET: the numbers of token responses by grant type and of refusals by error."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/statistics") { _, _ in
            try Response.json(await server.statistics)
        }
    }
}
