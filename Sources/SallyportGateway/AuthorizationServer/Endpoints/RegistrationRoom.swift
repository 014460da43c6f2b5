import Foundation
import Hummingbird

/// Makes clients of what they say of themselves (RFC 7591).
@available(macOS 14, iOS 17, tvOS 17, *)
struct RegistrationRoom: Room {
    let server: AuthorizationServer

    let guide = ["/register": "POST: a new client, from JSON, for a day, where the configuration allows it (RFC 7591)."]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post("/register") { request, _ in
            let body = try await request.body.collect(upTo: 64 * 1024)
            do {
                guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
                    throw OAuthRefusal(.invalidRequest, "The body has to be application/json.")
                }
                return try Response.json(try await server.register(Data(body.readableBytesView)), status: .created)
            } catch let refusal as OAuthRefusal {
                await server.count(refusal)
                return try Response.refusal(refusal, status: refusal.code == .accessDenied ? 403 : nil)
            }
        }
    }
}
