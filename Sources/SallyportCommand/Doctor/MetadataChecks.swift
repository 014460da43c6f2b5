import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth

/// Checks the metadata of a server against the needs of a profile.
enum MetadataChecks {
    static func findings(_ metadata: ServerMetadata, _ profile: Profile?) -> [Finding] {
        let flow = profile?.flow ?? .browser
        var findings = endpoints(metadata, flow, needsKeys: profile?.scopes.contains("openid") ?? true)
        if flow == .browser || flow == .journey { findings.append(challenge(metadata)) }
        if let profile {
            findings += [authentication(metadata, profile), scopes(metadata, profile)].compactMap(\.self)
        }
        if profile?.usesDPoP == true, metadata.members["dpop_signing_alg_values_supported"] == nil {
            findings.append(
                .warning(
                    "The server does not announce support for DPoP.",
                    "If it does not support DPoP, log in with --no-dpop."
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
        case .browser, .journey: needed.insert("authorization_endpoint", at: 0)
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
                "The server's metadata has no \(name).",
                "The flow \(flow.rawValue) needs it; select another one with --flow."
            )
        }
        findings += insecure.map { name in
            .problem(
                "The server's \(VisibleText.line(name, longest: 60)) is not https.",
                "Nothing is sent there. Report this to the server's operator."
            )
        }
        if !findings.isEmpty { return findings }
        let isPlain = endpoints.values.contains { !$0.lowercased().hasPrefix("https:") }
        let scheme = isPlain ? "plain http, which is accepted only on this computer" : "https"
        return [.good("All required endpoints are available over \(scheme).")]
    }

    private static func challenge(_ metadata: ServerMetadata) -> Finding {
        guard let methods = metadata.codeChallengeMethods else {
            return .warning(
                "The server does not announce support for PKCE.",
                "PKCE is used anyway; most servers support it."
            )
        }
        if methods.contains("S256") { return .good("The server supports PKCE with S256.") }
        return .problem(
            "The server does not support PKCE with S256.",
            "Authorization codes could be stolen, so such logins are refused."
        )
    }

    private static func authentication(_ metadata: ServerMetadata, _ profile: Profile) -> Finding? {
        let known = metadata.members["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
        let method = profile.authentication.method
        guard let known, !known.contains(method) else { return nil }
        return .warning(
            "The server does not announce the client authentication method \(method).",
            "It announces \(VisibleText.line(known.joined(separator: ", "), longest: 200))."
        )
    }

    private static func scopes(_ metadata: ServerMetadata, _ profile: Profile) -> Finding? {
        guard let known = metadata.scopesSupported else { return nil }
        let unknown = profile.scopes.filter { !known.contains($0) }
        if unknown.isEmpty { return nil }
        return .warning(
            "The server does not announce the scope \(unknown.joined(separator: ", ")).",
            "It may support it anyway. If not, log in with other --scope options."
        )
    }
}

/// Checks the public keys of a server.
enum KeyChecks {
    static func findings(_ keys: JsonWebKeySet) -> [Finding] {
        let signing = keys.keys.filter { $0.use ?? "sig" == "sig" }
        if signing.isEmpty {
            return [.problem("The server has no signing key.", "Its id_tokens cannot be verified.")]
        }
        let count = signing.count == 1 ? "1 signing key" : "\(signing.count) signing keys"
        var findings = [Finding.good("The server has \(count).")]
        let names = signing.compactMap(\.keyID)
        if Set(names).count < names.count {
            findings.append(
                .problem("Several of the server's keys have the same identifier.", "Report this to its operator.")
            )
        }
        if names.count < signing.count, signing.count > 1 {
            findings.append(
                .warning(
                    "Some of the server's keys have no identifier.",
                    "Tokens without one are verified with all keys of their type."
                )
            )
        }
        if keys.keys.contains(where: { $0.members["d"] != nil || $0.members["k"] != nil }) {
            findings.append(
                .problem("The server publishes a secret key.", "Anyone can sign with it. Report this to its operator.")
            )
        }
        return findings
    }
}

/// Compares the clock of this computer with the clock of the server.
enum ClockCheck {
    /// The maximum difference between the clocks that causes no problems, in seconds.
    private static let tolerance: TimeInterval = 30

    /// - Parameters:
    ///   - date: The value of `Date` in a response.
    ///   - now: The time at which the response arrived.
    static func finding(serverDate date: String?, now: Date) -> Finding {
        guard let date, let serverTime = HttpDate.parse(date) else {
            return .warning(
                "The server does not send its time.",
                "Check that the clock of this computer is right."
            )
        }
        let difference = now.timeIntervalSince(serverTime)
        if abs(difference) <= tolerance { return .good("This computer's clock agrees with the server's.") }
        let words = Format.time(.seconds(abs(difference)))
        return .problem(
            "This computer's clock is \(words) \(difference > 0 ? "ahead of" : "behind") the server's.",
            "Valid tokens may be treated as expired or not yet valid. Correct the clock."
        )
    }
}
