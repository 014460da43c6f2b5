import Foundation
import Sallyport
import SallyportOAuth

extension IdentityServer {
    /// The gateway's authorization server; `nil` if it has not been started.
    static let gateway = RealServer.gateway.flatMap { makeGateway("the gateway", issuer: $0) }

    /// A gateway's authorization server over TLS.
    static let gatewayTLS = RealServer.gatewayTLS.flatMap { issuer in
        makeGateway("the gateway over TLS", issuer: issuer, authority: RealServer.gatewayAuthority)
    }

    private static func makeGateway(_ name: String, issuer: String, authority: String? = nil) -> IdentityServer? {
        guard let keyFile = RealServer.gatewayKey else { return nil }
        return IdentityServer(
            name: name,
            issuer: issuer,
            authority: authority,
            redirectURI: "http://127.0.0.1:8765/cb",
            resource: "\(issuer)/protected",
            scopes: ["openid", "email", "api"],
            abilities: [
                .tokenExchange, .proofsOfUserInfo, .refusals, .publicRevocation, .anyPort, .plainPages,
                .endOfAccessTokens,
            ],
            decryptionKeyFile: keyFile,
            authorize: { url in try await Visitor(issuer: issuer, authority: authority).authorize(url) },
            approve: { device in try await Visitor(issuer: issuer, authority: authority).approve(device) }
        )
    }
}

/// Submits the gateway's forms as alice.
private struct Visitor {
    let issuer: String
    let client: HttpClient

    init(issuer: String, authority: String?) {
        self.issuer = issuer
        client = .createClient { $0.trust(authority) }
    }

    func authorize(_ url: String) async throws -> String {
        var response = try await client.request { $0.url = url }
        while let next = form(response) {
            response = try await client.request { request in
                request.url = issuer + next.action
                request.form(parameters: next.fields)
            }
        }
        return response.getHeader(name: "Location") ?? "\(response)"
    }

    func approve(_ device: DeviceAuthorization) async throws {
        _ = try await authorize(device.verificationURIComplete ?? "")
    }

    private func form(_ response: HttpResponse) -> (action: String, fields: [(String, String)])? {
        let text = String(decoding: response.body ?? Data(), as: UTF8.self)
        guard let action = text.firstMatch(of: /<form method="post" action="([^"]*)">/) else { return nil }
        var fields = text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
            .map { (String($0.1), String($0.2)) }
        if text.contains("name=\"password\"") { fields += [("username", "alice"), ("password", "wonderland")] }
        if text.contains("name=\"decision\"") { fields.append(("decision", "allow")) }
        if let code = text.firstMatch(of: /name="user_code" type="text" value="([^"]*)"/) {
            fields.append(("user_code", String(code.1)))
        }
        return (String(action.1), fields)
    }
}
