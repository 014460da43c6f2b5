import HTTPTypes
import Hummingbird

/// The resources below `/resources`. They need access tokens with the required scopes (RFC 6750).
@available(macOS 14, iOS 17, tvOS 17, *)
struct ResourceServerRoutes: RouteGroup {
    let server: ResourceServer
    private let bodies = BodyMemory(bodies: 1024, bytes: 128 << 20)

    var routeDescriptions: [String: String] {
        let texts = server.configuration.policies.map { policy in
            "\(policy.path) \(policy.scope.map { "needs the scope \($0)" } ?? "needs no access token")"
        }
        return [
            "/resources/**":
                "Any method: the request in JSON, as from /echo, with the claims of its access token. "
                + texts.joined(separator: ", ") + "."
        ]
    }

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/resources", use: respond)
        router.any("/resources/**", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: GatewayContext) async throws -> Response {
        do {
            let claims = try await server.authorize(request.endpointRequestWithoutForm)
            return try await Echo.of(request, token: claims, in: bodies).response(from: request, context: context)
        } catch let error as ResourceRefusal {
            if let cause = error.cause {
                context.logger.warning("The identity server cannot check an access token: \(cause)")
            }
            var headers = HTTPFields()
            headers[.wwwAuthenticate] = error.challenge
            return try .refusal(error.refusal, status: error.status, headers: headers)
        }
    }
}
