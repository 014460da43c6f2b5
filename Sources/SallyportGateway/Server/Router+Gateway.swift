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
    ///   - configuration: The hosts, the payload encryption and the content of the page at `/`. The routes of the payload encryption are
    ///     added.
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

    /// Adds a handler for all methods of a path.
    func any(
        _ path: RouterPath,
        use handler: @escaping @Sendable (Request, GatewayContext) async throws -> some ResponseGenerator
    ) {
        for method in HTTPRequest.Method.accepted {
            on(path, method: method, use: handler)
        }
    }
}

extension HTTPRequest.Method {
    /// The methods that an HTTP/1.1 connection of the gateway accepts. NIO's parser refuses others with 400, and the router needs each.
    fileprivate static let accepted: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace]
        + [
            "ACL", "BIND", "CHECKOUT", "COPY", "LINK", "LOCK", "M-SEARCH", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL",
            "MOVE", "NOTIFY", "PROPFIND", "PROPPATCH", "PURGE", "QUERY", "REBIND", "REPORT", "SEARCH", "SOURCE",
            "SUBSCRIBE", "UNBIND", "UNLINK", "UNLOCK", "UNSUBSCRIBE",
        ].compactMap { HTTPRequest.Method($0) }
}

/// The context of a request in the gateway.
@available(macOS 14, iOS 17, tvOS 17, *)
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, for informational responses.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    let responseEncoder = IndentedJSON()
}

/// Encodes responses as indented JSON with sorted keys. A line break ends it, for terminals.
@available(macOS 14, iOS 17, tvOS 17, *)
struct IndentedJSON: ResponseEncoder {
    func encode(_ value: some Encodable, from request: Request, context: some RequestContext) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var body = ByteBuffer(bytes: try encoder.encode(value))
        body.writeString("\n")
        return Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .contentLength: "\(body.readableBytes)"],
            body: ResponseBody(byteBuffer: body)
        )
    }
}
