import Hummingbird

/// What the authorization server has done so far, in numbers.
@available(macOS 14, iOS 17, tvOS 17, *)
struct StatisticsRoutes: RouteGroup {
    let server: AuthorizationServer

    let guide = ["/statistics": "GET: how often tokens were given, by grant, and refused, by error."]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/statistics") { _, _ in
            try Response.json(await server.statistics)
        }
    }
}
