import Foundation
import Sallyport
import SallyportOAuth

extension IdentityServer {
    /// Glewlwyd; `nil` if it has not been started.
    static let glewlwyd = makeGlewlwyd()

    private static func makeGlewlwyd() -> IdentityServer? {
        guard let issuer = RealServer.glewlwyd, let cookies = RealServer.glewlwydCookies else { return nil }
        // Glewlwyd's pages set g_continue when the user has completed them.
        let alice = HttpClient.createClient { config in config.cookieJar = nil }
        let visit = { @Sendable (url: String) in
            let session = try session(in: cookies)
            let response = try await alice.request { request in
                request.url = url
                request.setParameter(name: "g_continue", value: "")
                request.setHeader(name: "Cookie", value: session, isSensitive: true)
            }
            return response.getHeader(name: "Location") ?? "\(response)"
        }
        return IdentityServer(
            name: "Glewlwyd",
            issuer: issuer,
            authority: nil,
            redirectURI: "http://127.0.0.1:8765/cb",
            resource: "\(issuer)/userinfo",
            scopes: ["openid", "api"],
            abilities: [],
            decryptionKeyFile: RealServer.glewlwydKey ?? "",
            authorize: visit,
            approve: { device in _ = try await visit(device.verificationURIComplete ?? "") }
        )
    }

    /// The cookie of alice's session, from the file that curl wrote.
    private static func session(in file: String) throws -> String {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let cookies = lines.map { $0.split(separator: "\t") }.filter { $0.count == 7 }
        return cookies.map { "\($0[5])=\($0[6])" }.joined(separator: "; ")
    }
}
