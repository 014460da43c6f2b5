import Foundation
import Hummingbird
import SallyportJOSE

/// Makes clients of what they say of themselves (RFC 7591), and lets them look and go (RFC 7592).
@available(macOS 14, iOS 17, tvOS 17, *)
struct RegistrationRoutes: RouteGroup {
    let server: AuthorizationServer

    let guide = [
        "/register": "POST: a new client, from JSON, for a day, where the configuration allows it (RFC 7591).",
        "/register/{client}": "GET, DELETE: what it is registered as, and its end, with its registration_access_token.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post("/register") { request, _ in
            let body = try await request.body.collect(upTo: 64 * 1024)
            return try await answering(status: .created) {
                guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
                    throw OAuthRefusal(.invalidRequest, "The body has to be application/json.")
                }
                return try await server.register(Data(body.readableBytesView))
            }
        }
        router.get("/register/{client}") { request, context in
            let id = try context.parameters.require("client")
            return try await answering { try await server.registration(id, request.endpointRequestWithoutForm) }
        }
        router.delete("/register/{client}") { request, context in
            let id = try context.parameters.require("client")
            return try await answering(status: .noContent) {
                try await server.unregister(id, request.endpointRequestWithoutForm)
                return nil
            }
        }
    }

    private func answering(
        status: HTTPResponse.Status = .ok,
        _ members: () async throws -> [String: JsonValue]?
    ) async throws -> Response {
        do {
            guard let members = try await members() else { return Response(status: status) }
            return try Response.json(members, status: status)
        } catch let refusal as OAuthRefusal {
            await server.count(refusal)
            let headers: HTTPFields = refusal.status == 401 ? [.wwwAuthenticate: "Bearer realm=\"sallyport\""] : [:]
            return try Response.refusal(refusal, status: refusal.code == .accessDenied ? 403 : nil, headers: headers)
        }
    }
}
