import HTTPTypes

/// The paths of the endpoints for OAuth and OpenID Connect.
///
/// The endpoints have the gateway's own paths, and PingAM's paths in each realm. Each set of paths has an issuer identifier, because
/// clients find the metadata at a path that begins with it (OpenID Connect Discovery, section 4).
struct EndpointPaths: Sendable {
    /// The beginning of PingAM's paths.
    static let realms = "/oauth2/realms/"

    /// The name of the realm whose sessions the endpoints accept, such as `/` or `/alpha`.
    let realm: String
    /// The path at the end of the issuer identifier; empty for the gateway's own paths.
    let issuer: String
    let authorize: String
    let token: String
    let revoke: String
    let introspect: String
    let userInfo: String
    let endSession: String
    let keys: String
    let deviceAuthorization: String
    let pushedRequest: String
    /// The status code of the redirect to the client.
    let redirect: HTTPResponse.Status

    var login: String { authorize + "/login" }
    var consent: String { authorize + "/consent" }

    /// Returns the gateway's own paths.
    static func own(_ configuration: AuthorizationServerConfiguration) -> EndpointPaths {
        EndpointPaths(
            realm: GatewayRealm.root.name,
            issuer: "",
            authorize: "/authorize",
            token: "/token",
            revoke: "/revoke",
            introspect: configuration.introspectionPath,
            userInfo: "/userinfo",
            endSession: "/end_session",
            keys: "/jwks",
            deviceAuthorization: "/device_authorization",
            pushedRequest: "/par",
            redirect: .seeOther
        )
    }

    /// Returns the paths of PingAM for a realm.
    ///
    /// - Parameters:
    ///   - realm: The realm.
    ///   - path: One of the paths of the realm.
    static func pingAM(_ realm: GatewayRealm, at path: String) -> EndpointPaths {
        let start = realms + path
        return EndpointPaths(
            realm: realm.name,
            issuer: start,
            authorize: start + "/authorize",
            token: start + "/access_token",
            revoke: start + "/token/revoke",
            introspect: start + "/introspect",
            userInfo: start + "/userinfo",
            endSession: start + "/connect/endSession",
            keys: start + "/connect/jwk_uri",
            deviceAuthorization: start + "/device/code",
            pushedRequest: start + "/par",
            redirect: .found
        )
    }
}
