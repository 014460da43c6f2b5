import Foundation
import Sallyport
import SallyportOAuth

/// Development servers on this computer, which can be reached by several names.
enum CanonicalServer {
    /// Returns the name of a server that was called `localhost`: the URL in its issuer identifier, its links and its passkeys, such as
    /// `http://127.0.0.1:8080` for `http://localhost:8080`.
    ///
    /// Any other URL is returned unchanged, and so is the URL of a server that does not publish its metadata. The new name is a loopback
    /// address with the same port.
    static func url(_ url: String, _ client: HttpClient) async -> String {
        struct Metadata: Decodable { var issuer: String }
        let path = "/oauth2/realms/root"
        guard let origin = try? Origin(of: HttpRequest(url: url).head()), origin.isLocalhost,
            let response = try? await client.request({ request in
                request.url = url + path + "/.well-known/openid-configuration"
                request.action = Action(.discover)
            }),
            let issuer = try? response.decode(Metadata.self).issuer, issuer.hasSuffix(path)
        else { return url }
        let own = String(issuer.dropLast(path.count))
        guard let named = try? Origin(of: HttpRequest(url: own).head()), named.isLoopback,
            named.scheme == origin.scheme,
            named.port == origin.port
        else { return url }
        return own
    }
}
