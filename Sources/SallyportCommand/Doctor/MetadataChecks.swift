import Sallyport
import SallyportJOSE
import SallyportOAuth

/// What is wrong with what a server says of itself, for what a profile wants of it.
enum MetadataChecks {
    static func findings(_ metadata: ServerMetadata, _ profile: Profile?) -> [Finding] {
        let flow = profile?.flow ?? .browser
        var findings = endpoints(metadata, flow, needsKeys: profile?.scopes.contains("openid") ?? true)
        if flow == .browser { findings.append(challenge(metadata)) }
        if let profile {
            findings += [authentication(metadata, profile), scopes(metadata, profile)].compactMap(\.self)
        }
        if profile?.usesDPoP == true, metadata.members["dpop_signing_alg_values_supported"] == nil {
            findings.append(
                .warning(
                    "The server does not say that it binds tokens to keys.",
                    "Log in with --no-dpop if it does not."
                )
            )
        }
        return findings
    }

    private static func endpoints(
        _ metadata: ServerMetadata,
        _ flow: Profile.Flow,
        needsKeys: Bool
    ) -> [Finding] {
        var needed = ["token_endpoint"] + (needsKeys ? ["jwks_uri"] : [])
        switch flow {
        case .browser: needed.insert("authorization_endpoint", at: 0)
        case .device: needed.insert("device_authorization_endpoint", at: 0)
        case .clientCredentials, .exchange: break
        }
        let missing = needed.filter { metadata.members[$0]?.string == nil }
        let endpoints = metadata.members.filter { $0.key.hasSuffix("_endpoint") || $0.key == "jwks_uri" }
            .compactMapValues(\.string)
        let insecure = endpoints.filter { EndpointAddress.problem(with: $0.value, of: metadata.issuer) != nil }.keys
            .sorted()
        var findings = missing.map { name in
            Finding.problem(
                "The server names no \(name).",
                "The login \(flow.rawValue) needs it: choose another --flow."
            )
        }
        findings += insecure.map { name in
            .problem("The server's \(name) is not https.", "Nothing is sent there: have the server's operator mend it.")
        }
        if !findings.isEmpty { return findings }
        let isPlain = endpoints.values.contains { !$0.lowercased().hasPrefix("https:") }
        let way = isPlain ? "over plain http, which is accepted from this computer only" : "over https"
        return [.good("All endpoints that are needed are there, \(way).")]
    }

    private static func challenge(_ metadata: ServerMetadata) -> Finding {
        guard let methods = metadata.codeChallengeMethods else {
            return .warning(
                "The server does not say whether it knows PKCE.",
                "It is used all the same; most servers know it."
            )
        }
        if methods.contains("S256") { return .good("The server knows PKCE with S256.") }
        return .problem(
            "The server does not know PKCE with S256.",
            "Codes could be stolen: a browser login is refused."
        )
    }

    private static func authentication(_ metadata: ServerMetadata, _ profile: Profile) -> Finding? {
        let known = metadata.members["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
        let method = profile.authentication.method
        guard let known, !known.contains(method) else { return nil }
        return .warning(
            "The server does not say that clients may authenticate by \(method).",
            "It names \(VisibleText.line(known.joined(separator: ", "), longest: 200))."
        )
    }

    private static func scopes(_ metadata: ServerMetadata, _ profile: Profile) -> Finding? {
        guard let known = metadata.scopesSupported else { return nil }
        let unknown = profile.scopes.filter { !known.contains($0) }
        if unknown.isEmpty { return nil }
        return .warning(
            "The server does not name the scope \(unknown.joined(separator: ", ")).",
            "It may know it all the same; else log in with other --scope options."
        )
    }
}
