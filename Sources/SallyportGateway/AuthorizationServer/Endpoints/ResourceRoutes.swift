import Foundation
import HTTPTypes
import Hummingbird
import SallyportJOSE

/// The resources that need an access token.
@available(macOS 14, iOS 17, tvOS 17, *)
struct ResourceRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = [
        "/protected": "Any method: 200 with an access token of the scope api, as Bearer or DPoP; else 401 or 403."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/protected") { request, _ in
            try await server.respond(to: request, scope: "api") { request in
                try Response.json(try await server.protectedResource(request))
            }
        }
    }
}

/// A resource that needs an access token of a user who has signed in by a certain tree (RFC 9470).
@available(macOS 14, iOS 17, tvOS 17, *)
struct StepUpRoutes: RouteGroup {
    let server: AuthorizationServer
    /// The tree, which is the `acr` of the access token.
    let tree: String

    let routeDescriptions = [
        "/protected/step-up?max_age=":
            "Any method: 200 with an access token of the scope api after a login by the tree for step-ups, else 401 (RFC 9470)."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/protected/step-up") { request, _ in
            let maximumAge = try request.query("max_age").map { _ in
                try request.query("max_age", in: 0...1_000_000, default: 0)
            }
            let requirement = "acr_values=\"\(tree)\"" + (maximumAge.map { ", max_age=\"\($0)\"" } ?? "")
            return try await server.respond(to: request, scope: "api", requirement: requirement) { request in
                let resource = try await server.protectedResource(
                    request,
                    authenticatedBy: tree,
                    maximumAge: maximumAge.map(TimeInterval.init) ?? .infinity
                )
                return try Response.json(resource)
            }
        }
    }
}

/// The userinfo endpoint (OpenID Connect Core, section 5.3).
@available(macOS 14, iOS 17, tvOS 17, *)
struct UserInfoRoutes: RouteGroup {
    let server: AuthorizationServer
    let paths: EndpointPaths

    var routeDescriptions: [String: String] {
        [paths.userInfo: "GET, POST: the claims about the user of an access token with the scope openid."]
    }

    func addRoutes(to router: Router<GatewayContext>) {
        router.get(RouterPath(paths.userInfo), use: userInfo)
        router.post(RouterPath(paths.userInfo), use: userInfo)
    }

    @Sendable private func userInfo(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try await server.respond(to: request, scope: "openid") { request in
            switch try await server.userInfo(request) {
            case .plain(let claims):
                return try Response.json(claims)
            case .signed(let token):
                return Response(
                    status: .ok,
                    headers: [.contentType: "application/jwt", .cacheControl: "no-store"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: token))
                )
            }
        }
    }

}

@available(macOS 14, iOS 17, tvOS 17, *)
extension AuthorizationServer {
    /// Returns the response with a resource, or the challenges for a refused request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scope: The scope that it needs.
    ///   - requirement: The parameters of the challenge for a user who has to authenticate again (RFC 9470, section 3).
    ///   - resource: A closure that returns the resource.
    nonisolated fileprivate func respond(
        to request: Request,
        scope: String,
        requirement: String? = nil,
        _ resource: (GatewayEndpointRequest) async throws -> Response
    ) async throws -> Response {
        let call = request.endpointRequestWithoutForm
        let nonce = await nonceForResponse()
        do {
            var response = try await resource(call)
            if call.credentials("dpop") != nil { response.headers[.proofNonce] = nonce }
            return response
        } catch let refusal as OAuthRefusal {
            await count(refusal)
            var headers = HTTPFields()
            headers[.proofNonce] = nonce
            for challenge in challenges(refusal, call, scope: scope, requirement: requirement) {
                headers.append(HTTPField(name: .wwwAuthenticate, value: challenge))
            }
            let isAboutProof = [.invalidProof, .useNonce].contains(refusal.code)
            return try Response.refusal(refusal, status: isAboutProof ? 401 : nil, headers: headers)
        }
    }

    /// Returns the challenges for a refused request (RFC 6750, section 3; RFC 9449, section 7.1).
    ///
    /// They contain the error only if the request had an access token.
    nonisolated private func challenges(
        _ refusal: OAuthRefusal,
        _ call: GatewayEndpointRequest,
        scope: String,
        requirement: String?
    ) -> [String] {
        var error = "error=\"\(refusal.code.rawValue)\", error_description=\"\(refusal.description)\""
        if refusal.code == .insufficientUserAuthentication, let requirement { error += ", " + requirement }
        let algorithms = SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue).joined(separator: " ")
        let bearer = "Bearer realm=\"sallyport\", scope=\"\(scope)\""
        let proof = "DPoP algs=\"\(algorithms)\", scope=\"\(scope)\""
        if call.credentials("dpop") != nil { return ["\(proof), \(error)"] }
        if call.credentials("bearer") != nil { return ["\(bearer), \(error)"] }
        return [bearer, proof]
    }
}
