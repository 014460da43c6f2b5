import Hummingbird

/// The list of all routes, at `/`.
@available(macOS 14, iOS 17, tvOS 17, *)
struct IndexRoutes: RouteGroup {
    let routeDescriptions: [String: String]

    init(routeGroups: [any RouteGroup]) {
        routeDescriptions = routeGroups.reduce(into: ["/": "This list."]) { routeDescriptions, group in
            routeDescriptions.merge(group.routeDescriptions) { first, _ in first }
        }
    }

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/") { [routeDescriptions] _, _ in
            RouteIndex(name: "Sallyport gateway", routes: routeDescriptions)
        }
    }
}

private struct RouteIndex: ResponseEncodable {
    let name: String
    let routes: [String: String]
}

/// Reports that the gateway is running.
@available(macOS 14, iOS 17, tvOS 17, *)
struct HealthRoutes: RouteGroup {
    let routeDescriptions = ["/health": "GET: reports that the gateway is running."]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/health") { _, _ in
            Health(status: "ok")
        }
    }
}

private struct Health: ResponseEncodable {
    let status: String
}
