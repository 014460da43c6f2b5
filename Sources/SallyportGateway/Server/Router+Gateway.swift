import Hummingbird
import Sallyport

@available(macOS 14, iOS 17, tvOS 17, *)
extension Router where Context == GatewayContext {
    /// Returns the router of a gateway: the middleware, then the routes of every feature.
    ///
    /// - Parameters:
    ///   - routeGroups: The features.
    ///   - hosts: The hosts that are served besides those of loopback on loopback.
    static func gateway(routeGroups: [any RouteGroup] = RouteGroups.all, hosts: [HostPattern] = []) -> Router {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        router.addMiddleware {
            HeadMiddleware()
            RequestLogMiddleware()
            ErrorMiddleware()
            HostMiddleware(hosts: hosts)
        }
        for group in routeGroups {
            group.addRoutes(to: router)
        }
        IndexRoutes(routeGroups: routeGroups).addRoutes(to: router)
        return router
    }

    /// Routes every common method to one handler.
    func any(
        _ path: RouterPath,
        use handler: @escaping @Sendable (Request, GatewayContext) async throws -> some ResponseGenerator
    ) {
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]
        for method in methods {
            on(path, method: method, use: handler)
        }
    }
}
