import HTTPTypes
import Hummingbird
import SallyportJOSE

/// The resources that need an access token.
@available(macOS 14, iOS 17, tvOS 17, *)
struct ResourceRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = [
        "/protected": "Any method: 200 with an access token of the scope api, as Bearer or DPoP; else 401 or 403."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/protected") { request, _ in
            try await ResourceResponder(server: server).respond(to: request, scope: "api") { request in
                try Response.json(try await server.protectedResource(request))
            }
        }
    }
}
