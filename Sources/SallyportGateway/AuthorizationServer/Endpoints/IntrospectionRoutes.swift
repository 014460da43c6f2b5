import Hummingbird

/// The introspection endpoint for resource gateways, at its fixed path (Docs/resource-server.md).
@available(macOS 14, iOS 17, tvOS 17, *)
struct IntrospectionRoutes: RouteGroup {
    private static let path = "/api/v1/token/introspect"

    let server: AuthorizationServer

    let routeDescriptions = [Self.path: "POST: describes a token (RFC 7662)."]

    func addRoutes(to router: Router<GatewayContext>) {
        // The endpoint of the metadata can have this path too.
        if server.configuration.introspectionPath != Self.path {
            router.endpoint(Self.path, of: server) { try await server.introspect($0) }
        }
    }
}
