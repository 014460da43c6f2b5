import Foundation
import Sallyport

extension HttpClient {
    /// Returns a client that uses a proxy policy and trusts nginx's certificate.
    static func proxied(by policy: ProxyPolicy) -> HttpClient {
        createClient { config in
            config.transportConfiguration.proxy = policy
            config.allowsPlainHTTP = true
            if let authority = RealServer.nginxAuthority {
                config.transportConfiguration.security.trustRoots = .file(URL(fileURLWithPath: authority))
            }
        }
    }

    func get(_ url: String) async throws -> HttpResponse {
        try await request { request in request.url = url }
    }
}
