import Sallyport

extension ServerMetadata {
    /// The endpoints of a PingAM server, by the paths that it has them at.
    ///
    /// - Parameters:
    ///   - base: The server's URL, such as `https://am.example.com/am`.
    ///   - realm: The realm; a nested one is `root/realms/alpha`.
    ///   - issuer: What the server calls itself in its tokens, where that is not the place of its endpoints.
    public static func pingAM(base: String, realm: String = "root", issuer: String? = nil) -> ServerMetadata {
        let base = base.hasSuffix("/") ? String(base.dropLast()) : base
        let path = realm.split(separator: "/").map { PercentEncoding.query(String($0)) }.joined(separator: "/")
        let root = "\(base)/oauth2/realms/\(path)"
        return ServerMetadata(
            issuer: issuer ?? root,
            authorizationEndpoint: "\(root)/authorize",
            tokenEndpoint: "\(root)/access_token",
            jwksURI: "\(root)/connect/jwk_uri",
            userInfoEndpoint: "\(root)/userinfo",
            revocationEndpoint: "\(root)/token/revoke",
            introspectionEndpoint: "\(root)/introspect",
            deviceAuthorizationEndpoint: "\(root)/device/code",
            endSessionEndpoint: "\(root)/connect/endSession"
        )
    }
}
