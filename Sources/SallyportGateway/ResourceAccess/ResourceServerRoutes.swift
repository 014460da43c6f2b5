import HTTPTypes
import Hummingbird
import Sallyport
import SallyportJOSE

/// The resources below `/resources`, for which access tokens of the required scopes are needed (RFC 6750).
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

    init(server: ResourceServer) {
        self.server = server
    }

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/resources", use: respond)
        router.any("/resources/**", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let call = request.endpointRequestWithoutForm
        guard let policy = server.configuration.policies.policy(for: try Self.segments(of: call.path)) else {
            throw HTTPError(.notFound, message: "There is no resource at this path.")
        }
        do {
            try server.configuration.minimumVersions.check(call.userAgent)
            var claims: [String: JsonValue]?
            if let scope = policy.scope { claims = try await server.authorize(call, scope: scope) }
            return try await bodies.withBody(of: request, upTo: 16 << 20) { body in
                try Echo(request, body: body, token: claims).response(from: request, context: context)
            }
        } catch let refusal as OAuthRefusal {
            return try Self.response(to: call, refusal, scope: policy.scope)
        } catch let error where error is IntrospectionFailure || error is NetworkError {
            context.logger.warning("The identity server cannot check an access token: \(error)")
            let refusal = OAuthRefusal(.temporarilyUnavailable, "The access token cannot be checked at the moment.")
            return try Self.response(to: call, refusal, scope: policy.scope)
        }
    }

    /// Returns the segments of a path below `/resources`, decoded.
    ///
    /// - Throws: Status 400 for dot segments, also encoded ones, whose path would be another one for the server of the resource.
    private static func segments(of path: String) throws -> [String] {
        let segments = path.split(separator: "/").dropFirst().map { String($0).percentDecoded }
        let parts = segments.flatMap { $0.split { $0 == "/" || $0 == "\\" } }
        guard !parts.contains(where: { $0 == "." || $0 == ".." }) else {
            throw HTTPError(.badRequest, message: "The path contains . or .. as a segment.")
        }
        return segments
    }

    private static func response(
        to call: GatewayEndpointRequest,
        _ refusal: OAuthRefusal,
        scope: String?
    ) throws -> Response {
        var headers = HTTPFields()
        let isAboutToken = [.invalidToken, .insufficientScope].contains(refusal.code)
        if isAboutToken, let scope {
            var challenge = "Bearer realm=\"sallyport\", scope=\"\(scope)\""
            if call.credentials("bearer") != nil {
                challenge += ", error=\"\(refusal.code.rawValue)\", error_description=\"\(refusal.description)\""
            }
            headers[.wwwAuthenticate] = challenge
        }
        let isOutdated = [.outdatedApp, .outdatedSystem].contains(refusal.code)
        return try .refusal(refusal, status: isOutdated ? 403 : nil, headers: headers)
    }
}
