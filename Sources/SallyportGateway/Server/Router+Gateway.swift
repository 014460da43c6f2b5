import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Sallyport

@available(macOS 14, iOS 17, tvOS 17, *)
extension Router where Context == GatewayContext {
    /// Returns the router of a gateway: the middleware, then the routes of every group.
    ///
    /// - Parameters:
    ///   - routeGroups: The groups of routes.
    ///   - configuration: The hosts, the payload encryption, whose routes are added, and the content of the page at `/`.
    static func gateway(
        routeGroups: [any RouteGroup] = RouteGroups.all,
        _ configuration: GatewayConfiguration = GatewayConfiguration()
    ) -> Router {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        let payloadEncryption = configuration.payloadEncryption
        let encryptionRoutes = payloadEncryption.map { PayloadEncryptionRoutes(encryption: $0) }
        let routeGroups = routeGroups + [encryptionRoutes].compactMap { $0 as (any RouteGroup)? }
        router.addMiddleware {
            HeadMiddleware()
            RequestLogMiddleware()
            if let payloadEncryption {
                PayloadEncryptionMiddleware(
                    encryption: payloadEncryption,
                    sessionField: configuration.authorizationServer.flatMap {
                        HTTPField.Name($0.configuration.sessionCookie)
                    }
                )
            }
            ErrorMiddleware()
            HostMiddleware(hosts: configuration.servedHosts)
        }
        for group in routeGroups {
            group.addRoutes(to: router)
        }
        IndexRoutes(routeGroups: routeGroups, configuration: configuration).addRoutes(to: router)
        return router
    }

    /// Adds a handler for all common methods of a path.
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

/// The context of a request in the gateway. JSON responses are indented, with sorted keys.
@available(macOS 14, iOS 17, tvOS 17, *)
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, for informational responses.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    var responseEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
