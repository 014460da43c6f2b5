import HTTPTypes
import Hummingbird
import SallyportJOSE

/// The endpoints that clients call directly: they issue, describe and revoke tokens.
@available(macOS 14, iOS 17, tvOS 17, *)
struct TokenRoutes: RouteGroup {
    let server: AuthorizationServer

    var routeDescriptions: [String: String] {
        [
            "/token": "POST: tokens for a code, refresh token, device code, token to exchange, or the client itself.",
            "/par": "POST: stores an authorization request of a client (RFC 9126).",
            "/device_authorization": "POST: the codes for a device (RFC 8628).",
            introspectionPath: "POST: describes a token (RFC 7662).",
            "/revoke": "POST: revokes a token (RFC 7009).",
        ]
    }

    private var introspectionPath: String { server.configuration.introspectionPath }

    func addRoutes(to router: Router<GatewayContext>) {
        add("/token", to: router) { try await server.token($0) }
        add("/par", to: router, status: .created) { try await server.push($0) }
        add("/device_authorization", to: router) { try await server.authorizeDevice($0) }
        add(RouterPath(introspectionPath), to: router) { try await server.introspect($0) }
        add("/revoke", to: router) { request in
            try await server.revoke(request)
            return nil
        }
    }

    private func add(
        _ path: RouterPath,
        to router: Router<GatewayContext>,
        status: HTTPResponse.Status = .ok,
        handler: @escaping @Sendable (GatewayEndpointRequest) async throws -> [String: JsonValue]?
    ) {
        router.post(path) { request, _ in
            var headers = HTTPFields()
            headers[.proofNonce] = await server.nonceForResponse()
            do {
                guard let members = try await handler(try await request.endpointRequest()) else {
                    headers[.cacheControl] = "no-store"
                    return Response(status: status, headers: headers)
                }
                return try Response.json(members, status: status, headers: headers)
            } catch let refusal as OAuthRefusal {
                await server.count(refusal)
                if refusal.status == 401 { headers[.wwwAuthenticate] = BasicRoutes.challenge }
                return try Response.refusal(refusal, headers: headers)
            }
        }
    }
}
