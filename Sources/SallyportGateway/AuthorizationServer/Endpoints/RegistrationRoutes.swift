import Foundation
import HTTPTypes
import Hummingbird
import SallyportJOSE

/// Registers clients (RFC 7591), and lets them read and delete their registrations (RFC 7592).
@available(macOS 14, iOS 17, tvOS 17, *)
struct RegistrationRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = [
        "/register":
            "POST: registers a client for a day, if the configuration allows it, or a device with a software statement (RFC 7591).",
        "/register/{client}": "GET, DELETE: reads or deletes a registration, with its registration_access_token.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post("/register") { request, _ in
            let body = try await request.body.collect(upTo: 64 * 1024)
            return try await respond {
                guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
                    throw OAuthRefusal(.invalidRequest, "The body must be application/json.")
                }
                let data = Data(body.readableBytesView)
                let (members, isNew) = try await server.register(data, request.endpointRequestWithoutForm)
                return try Response.json(members, status: isNew ? .created : .ok)
            }
        }
        router.get("/register/{client}") { request, context in
            let id = try context.parameters.require("client")
            return try await respond {
                try Response.json(try await server.registration(id, request.endpointRequestWithoutForm))
            }
        }
        router.delete("/register/{client}") { request, context in
            let id = try context.parameters.require("client")
            return try await respond {
                try await server.unregister(id, request.endpointRequestWithoutForm)
                return Response(status: .noContent)
            }
        }
    }

    /// Returns a response, or an error response if a closure throws an ``OAuthRefusal``.
    private func respond(_ response: () async throws -> Response) async throws -> Response {
        do {
            return try await response()
        } catch let refusal as OAuthRefusal {
            await server.count(refusal)
            var headers = HTTPFields()
            headers[.proofNonce] = await server.nonceForResponse()
            if refusal.status == 401 { headers[.wwwAuthenticate] = "Bearer realm=\"sallyport\"" }
            return try Response.refusal(refusal, status: refusal.code == .accessDenied ? 403 : nil, headers: headers)
        }
    }
}
