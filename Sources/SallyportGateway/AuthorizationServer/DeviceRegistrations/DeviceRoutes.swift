import HTTPTypes
import Hummingbird

/// The endpoints for devices that are not part of OAuth (Docs/resource-server.md).
@available(macOS 14, iOS 17, tvOS 17, *)
struct DeviceRoutes: RouteGroup {
    static let users = "/api/v1/device/users"

    let server: AuthorizationServer

    var routeDescriptions: [String: String] {
        [
            Self.users: "POST: the users who are registered on the device that sends the request.",
            Self.users + "/deregister": "POST with sub: deregisters a user on the device.",
        ]
    }

    func addRoutes(to router: Router<GatewayContext>) {
        router.endpoint(Self.users, of: server) { try await server.registeredUsers($0) }
        router.endpoint(Self.users + "/deregister", of: server) { try await server.deregisterUser($0) }
    }
}
