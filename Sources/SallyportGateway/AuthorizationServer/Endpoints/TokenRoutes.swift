import HTTPTypes
import Hummingbird
import SallyportJOSE

/// The endpoints that clients call directly: they issue, describe and revoke tokens.
@available(macOS 14, iOS 17, tvOS 17, *)
struct TokenRoutes: RouteGroup {
    let server: AuthorizationServer
    let paths: EndpointPaths

    var routeDescriptions: [String: String] {
        [
            paths.token:
                "POST: tokens for a code, refresh token, device code, token to exchange, or the client itself.",
            paths.pushedRequest: "POST: stores an authorization request of a client (RFC 9126).",
            paths.deviceAuthorization: "POST: the codes for a device (RFC 8628).",
            paths.introspect: "POST: describes a token (RFC 7662).",
            paths.revoke: "POST: revokes a token (RFC 7009).",
        ]
    }

    func addRoutes(to router: Router<GatewayContext>) {
        func add(
            _ path: String,
            status: HTTPResponse.Status = .ok,
            handler: @escaping @Sendable (GatewayEndpointRequest) async throws -> [String: JsonValue]?
        ) {
            router.endpoint(path, of: server, issuerPath: paths.issuer, status: status, handler: handler)
        }
        add(paths.token) { try await server.token($0) }
        add(paths.pushedRequest, status: .created) { try await server.push($0) }
        add(paths.deviceAuthorization) { try await server.authorizeDevice($0) }
        // The configured path of the gateway's own endpoint can be the same as a realm's path.
        if paths.issuer.isEmpty || paths.introspect != server.configuration.introspectionPath {
            add(paths.introspect) { try await server.introspect($0) }
        }
        add(paths.revoke) { request in
            try await server.revoke(request)
            return nil
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Router<GatewayContext> {
    /// Adds an endpoint that clients call with a form, and that responds in JSON or, without members, with an empty body.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - server: The server.
    ///   - issuerPath: The path at the end of the issuer identifier; see ``EndpointPaths/issuer``.
    ///   - status: The status of a successful response.
    ///   - handler: A closure that returns the members of the response.
    func endpoint(
        _ path: String,
        of server: AuthorizationServer,
        issuerPath: String = "",
        status: HTTPResponse.Status = .ok,
        handler: @escaping @Sendable (GatewayEndpointRequest) async throws -> [String: JsonValue]?
    ) {
        post(RouterPath(path)) { request, _ in
            var headers = HTTPFields()
            headers[.proofNonce] = await server.nonceForResponse()
            do {
                var call = try await request.endpointRequest()
                call.issuerPath = issuerPath
                guard let members = try await handler(call) else {
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
