import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import SallyportJOSE

/// A resource protected by Digest authentication (RFC 7616), with the quality of protection `auth` and SHA-256 or MD5.
///
/// The server stores no nonces: each contains a message authentication code, and becomes stale at a certain nonce count.
/// Credentials that are sent twice are not detected.
@available(macOS 14, iOS 17, tvOS 17, *)
struct DigestRoutes: RouteGroup {
    let routeDescriptions = [
        "/digest/{user}/{password}":
            "Any method: 200 with these Digest credentials, else 401. A nonce is stale after ?uses=1000 requests; "
            + "?algorithm=MD5 offers no SHA-256."
    ]

    private static let algorithms = ["SHA-256", "MD5"]
    private let key = SymmetricKey(size: .bits256)

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/digest/{user}/{password}") { request, context in
            let user = try context.parameters.require("user").percentDecoded
            let password = try context.parameters.require("password").percentDecoded
            let uses: UInt32 = try request.query("uses", in: 1...UInt32.max, default: 1000)
            let offered = Self.algorithms.filter { $0 == request.query("algorithm") ?? $0 }
            guard let proof = DigestProof(request), offered.contains(proof.algorithm), isIssued(proof.nonce),
                proof.isValid(user: user, password: password, method: "\(request.method)")
            else { throw refusal(offered, isStale: false) }
            guard proof.count <= uses else { throw refusal(offered, isStale: true) }
            let body = Authenticated(authenticated: true, user: user)
            var response = try body.response(from: request, context: context)
            response.headers[.authenticationInfo] = proof.info(user, password)
            return response
        }
    }

    private func refusal(_ algorithms: [String], isStale: Bool) -> HTTPError {
        let random = Data((0..<12).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        let nonce = "\(random).\(code(for: random))"
        var headers = HTTPFields()
        for algorithm in algorithms {
            let challenge =
                "Digest realm=\"\(DigestProof.realm)\", qop=\"auth\", algorithm=\(algorithm), nonce=\"\(nonce)\", "
                + "charset=UTF-8, stale=\(isStale)"
            headers.append(HTTPField(name: .wwwAuthenticate, value: challenge))
        }
        let message = isStale ? "The nonce is too old." : "A Digest proof of this path's name and password is needed."
        return HTTPError(.unauthorized, headers: headers, message: message)
    }

    /// Returns a Boolean value that indicates whether this server issued a nonce, by checking its authentication code.
    private func isIssued(_ nonce: String) -> Bool {
        let parts = nonce.split(separator: ".")
        return parts.count == 2 && ConstantTime.areEqual(parts[1].utf8, code(for: String(parts[0])).utf8)
    }

    private func code(for random: String) -> String {
        Data(HMAC<SHA256>.authenticationCode(for: Data(random.utf8), using: key)).base64EncodedString()
    }
}
