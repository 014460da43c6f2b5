import HTTPTypes
import Hummingbird

/// The userinfo endpoint (OpenID Connect Core, section 5.3).
@available(macOS 14, iOS 17, tvOS 17, *)
struct UserInfoRoutes: RouteGroup {
    let server: AuthorizationServer
    let paths: EndpointPaths

    var routeDescriptions: [String: String] {
        [paths.userInfo: "GET, POST: the claims about the user of an access token with the scope openid."]
    }

    func addRoutes(to router: Router<GatewayContext>) {
        router.get(RouterPath(paths.userInfo), use: userInfo)
        router.post(RouterPath(paths.userInfo), use: userInfo)
    }

    @Sendable private func userInfo(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try await ResourceResponder(server: server).respond(to: request, scope: "openid") { request in
            switch try await server.userInfo(request) {
            case .plain(let claims):
                return try Response.json(claims)
            case .signed(let token):
                return Response(
                    status: .ok,
                    headers: [.contentType: "application/jwt", .cacheControl: "no-store"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: token))
                )
            }
        }
    }
}
