import Hummingbird

/// What clients have to know: the metadata and the keys.
@available(macOS 14, iOS 17, tvOS 17, *)
struct DiscoveryRoutes: RouteGroup {
    let server: AuthorizationServer

    let guide = [
        "/.well-known/openid-configuration": "GET: the metadata of the authorization server.",
        "/.well-known/oauth-authorization-server": "GET: the same (RFC 8414).",
        "/jwks": "GET: the keys that its tokens are verified with.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        for name in ["openid-configuration", "oauth-authorization-server"] {
            router.get("/.well-known/\(name)") { _, _ in
                try Response.json(await server.metadata(), maximumAge: 60)
            }
        }
        router.get("/jwks") { _, _ in
            try Response.json(["keys": await server.publishedKeys().keys], maximumAge: 60)
        }
    }
}
