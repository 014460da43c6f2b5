import Hummingbird
import SallyportJOSE

/// The metadata and the public keys of the authorization server.
@available(macOS 14, iOS 17, tvOS 17, *)
struct DiscoveryRoutes: RouteGroup {
    let server: AuthorizationServer
    let paths: EndpointPaths

    var routeDescriptions: [String: String] {
        [
            "\(paths.issuer)/.well-known/openid-configuration": "GET: the metadata of the authorization server.",
            "/.well-known/oauth-authorization-server\(paths.issuer)": "GET: the same metadata (RFC 8414).",
            paths.keys: "GET: the public keys that verify its tokens.",
        ]
    }

    func addRoutes(to router: Router<GatewayContext>) {
        for start in [
            "\(paths.issuer)/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server\(paths.issuer)",
        ] {
            router.get(RouterPath(start)) { _, _ in
                try Response.json(await server.metadata(paths), maximumAge: 60)
            }
        }
        router.get(RouterPath(paths.keys)) { _, _ in
            try Response.json(["keys": await server.publishedKeys().keys], maximumAge: 60)
        }
    }
}

extension ServerContext {
    /// Returns the metadata of the server (OpenID Connect Discovery; RFC 8414) with the endpoints at some paths.
    func metadata(_ paths: EndpointPaths) -> [String: JsonValue] {
        func list(_ values: [String]) -> JsonValue { .array(values.map { .string($0) }) }
        func address(_ path: String) -> JsonValue { .string(issuer + path) }
        let hasDevices = !configuration.applications.isEmpty
        let grantTypes = GrantType.allCases.filter { hasDevices || $0 != .implicitAuthentication }
        let management = KeyManagementAlgorithm.allCases.filter { $0 != .direct }
        let signatures = list(configuration.signatureAlgorithms.map(\.rawValue))
        let asymmetric = list(SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue))
        var metadata: [String: JsonValue] = [
            "issuer": address(paths.issuer),
            "authorization_endpoint": address(paths.authorize),
            "token_endpoint": address(paths.token),
            "jwks_uri": address(paths.keys),
            "userinfo_endpoint": address(paths.userInfo),
            "revocation_endpoint": address(paths.revoke),
            "introspection_endpoint": address(paths.introspect),
            "end_session_endpoint": address(paths.endSession),
            "device_authorization_endpoint": address(paths.deviceAuthorization),
            "pushed_authorization_request_endpoint": address(paths.pushedRequest),
            "scopes_supported": list(configuration.knownScopes),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": list(grantTypes.map(\.rawValue)),
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": signatures,
            "id_token_encryption_alg_values_supported": list(management.map(\.rawValue)),
            "id_token_encryption_enc_values_supported": list(ContentEncryption.allCases.map(\.rawValue)),
            "userinfo_signing_alg_values_supported": signatures,
            "token_endpoint_auth_methods_supported": list(ClientAuthenticationMethod.allCases.map(\.rawValue)),
            "token_endpoint_auth_signing_alg_values_supported": asymmetric,
            "code_challenge_methods_supported": ["S256"],
            "dpop_signing_alg_values_supported": asymmetric,
            "prompt_values_supported": ["none", "login", "consent", "select_account"],
            "claims_supported": [
                "sub", "iss", "aud", "exp", "iat", "auth_time", "acr", "amr", "nonce", "at_hash", "sid", "name",
                "preferred_username",
                "email", "email_verified",
            ],
            "authorization_response_iss_parameter_supported": true,
            "claims_parameter_supported": false,
            "request_parameter_supported": false,
            "request_uri_parameter_supported": false,
            "require_pushed_authorization_requests": false,
        ]
        if !configuration.trees.names.isEmpty { metadata["acr_values_supported"] = list(configuration.trees.names) }
        if configuration.allowsRegistration || hasDevices { metadata["registration_endpoint"] = address("/register") }
        if hasDevices { metadata["device_users_endpoint"] = address(DeviceRoutes.users) }
        return metadata
    }
}
