import HTTPTypes
import Hummingbird
import SallyportJOSE

/// Responds to requests for resources that need an access token, with the resource or the challenges for a refused request.
@available(macOS 14, iOS 17, tvOS 17, *)
struct ResourceResponder: Sendable {
    let server: AuthorizationServer

    /// Returns the response with a resource, or the challenges for a refused request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scope: The scope that it needs.
    ///   - requirement: The parameters of the challenge for a user who must authenticate again (RFC 9470, section 3).
    ///   - resource: A closure that returns the resource.
    func respond(
        to request: Request,
        scope: String,
        requirement: String? = nil,
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
    private func challenges(
        _ refusal: OAuthRefusal,
        _ call: GatewayEndpointRequest,
        scope: String,
        requirement: String?
    ) -> [String] {
        let needsUser = refusal.code == .insufficientUserAuthentication
        let requirement = needsUser ? requirement.map { ", \($0)" } ?? "" : ""
        let algorithms = SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue).joined(separator: " ")
        let proof = "DPoP algs=\"\(algorithms)\", scope=\"\(scope)\""
        if call.credentials("dpop") != nil { return ["\(proof), \(refusal.challengeParameters)\(requirement)"] }
        let hasToken = call.credentials("bearer") != nil
        let bearer = refusal.bearerChallenge(scope: scope, hasToken: hasToken)
        return hasToken ? [bearer + requirement] : [bearer, proof]
    }
}
