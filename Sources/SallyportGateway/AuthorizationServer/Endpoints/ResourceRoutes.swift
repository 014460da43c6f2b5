import HTTPTypes
import Hummingbird
import SallyportJOSE

/// The resources that need an access token: a protected resource and the userinfo endpoint.
@available(macOS 14, iOS 17, tvOS 17, *)
struct ResourceRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = [
        "/protected": "Any method: 200 with an access token of the scope api, as Bearer or DPoP; else 401 or 403.",
        "/userinfo": "GET, POST: the claims about the user of an access token with the scope openid.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/protected") { request, _ in
            try await respond(to: request, scope: "api") { request in
                try Response.json(try await server.protectedResource(request))
            }
        }
        router.get("/userinfo", use: userInfo)
        router.post("/userinfo", use: userInfo)
    }

    @Sendable private func userInfo(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try await respond(to: request, scope: "openid") { request in
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

    private func respond(
        to request: Request,
        scope: String,
        _ resource: (GatewayEndpointRequest) async throws -> Response
    ) async throws -> Response {
        let call = request.endpointRequestWithoutForm
        let nonce = await server.nonceForResponse()
        do {
            var response = try await resource(call)
            if call.credentials("dpop") != nil { response.headers[.proofNonce] = nonce }
            return response
        } catch let refusal as OAuthRefusal {
            await server.count(refusal)
            var headers = HTTPFields()
            headers[.proofNonce] = nonce
            for challenge in challenges(refusal, call, scope: scope) {
                headers.append(HTTPField(name: .wwwAuthenticate, value: challenge))
            }
            let isAboutProof = [.invalidProof, .useNonce].contains(refusal.code)
            return try Response.refusal(refusal, status: isAboutProof ? 401 : nil, headers: headers)
        }
    }

    /// Returns the challenges for a refused request (RFC 6750, section 3; RFC 9449, section 7.1).
    ///
    /// They contain the error only if the request had an access token.
    private func challenges(_ refusal: OAuthRefusal, _ call: GatewayEndpointRequest, scope: String) -> [String] {
        let error = "error=\"\(refusal.code.rawValue)\", error_description=\"\(refusal.description)\""
        let algorithms = SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue).joined(separator: " ")
        let bearer = "Bearer realm=\"sallyport\", scope=\"\(scope)\""
        let proof = "DPoP algs=\"\(algorithms)\", scope=\"\(scope)\""
        if call.credentials("dpop") != nil { return ["\(proof), \(error)"] }
        if call.credentials("bearer") != nil { return ["\(bearer), \(error)"] }
        return [bearer, proof]
    }
}
