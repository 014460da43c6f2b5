import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// A resource protected by Digest authentication (RFC 7616), with the quality of protection `auth` and SHA-256 or MD5.
///
/// There is no state: a nonce contains a message authentication code, and the nonce count shows its age. Therefore
/// credentials that are sent twice are not detected.
@available(macOS 14, iOS 17, tvOS 17, *)
struct DigestRoutes: RouteGroup {
    let guide = [
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
            guard let proof = DigestProof(request), offered.contains(proof.algorithm), isOwn(proof.nonce),
                proof.shows(user, password, by: "\(request.method)")
            else { throw refusal(offered, isStale: false) }
            guard proof.count <= uses else { throw refusal(offered, isStale: true) }
            let answer = Authenticated(authenticated: true, user: user)
            var response = try answer.response(from: request, context: context)
            response.headers[.authenticationInfo] = proof.info(user, password)
            return response
        }
    }

    private func refusal(_ algorithms: [String], isStale: Bool) -> HTTPError {
        let beginning = Data((0..<12).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        let nonce = "\(beginning).\(code(of: beginning))"
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

    private func isOwn(_ nonce: String) -> Bool {
        let parts = nonce.split(separator: ".")
        return parts.count == 2 && Data(parts[1].utf8).isSame(as: code(of: String(parts[0])))
    }

    private func code(of beginning: String) -> String {
        Data(HMAC<SHA256>.authenticationCode(for: Data(beginning.utf8), using: key)).base64EncodedString()
    }
}
