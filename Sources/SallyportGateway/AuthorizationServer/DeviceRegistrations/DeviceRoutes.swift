import HTTPTypes
import Hummingbird

/// The endpoints for devices that are not part of OAuth, and the introspection endpoint for resource gateways (Docs/resource-server.md).
@available(macOS 14, iOS 17, tvOS 17, *)
struct DeviceRoutes: RouteGroup {
    static let users = "/api/v1/device/users"
    static let introspect = "/api/v1/token/introspect"

    let server: AuthorizationServer

    var routeDescriptions: [String: String] {
        [
            Self.users: "POST: the users who are registered on the device that sends the request.",
            Self.users + "/deregister": "POST with sub: deregisters a user on the device.",
            Self.introspect: "POST: describes a token (RFC 7662).",
        ]
    }

    func addRoutes(to router: Router<GatewayContext>) {
        router.endpoint(Self.users, of: server) { try await server.registeredUsers($0) }
        router.endpoint(Self.users + "/deregister", of: server) { try await server.deregisterUser($0) }
        if server.configuration.introspectionPath != Self.introspect {
            router.endpoint(Self.introspect, of: server) { try await server.introspect($0) }
        }
    }
}
