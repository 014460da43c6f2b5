import Hummingbird

/// Says that the gateway is up.
@available(macOS 14, iOS 17, tvOS 17, *)
struct HealthRoutes: RouteGroup {
    let guide = ["/health": "GET: says that the gateway is up."]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/health") { _, _ in
            Health(status: "ok")
        }
    }
}

private struct Health: ResponseEncodable {
    let status: String
}
