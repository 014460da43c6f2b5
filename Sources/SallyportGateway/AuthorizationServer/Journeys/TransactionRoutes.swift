import Foundation
import HTTPTypes
import Hummingbird
import SallyportJOSE

/// Resources that need a session and, in addition, that the user completes a tree: for every call, or once for the session. The session is
/// in the header field or the cookie, or is that of the access token.
@available(macOS 14, iOS 17, tvOS 17, *)
struct TransactionRoutes: RouteGroup {
    let server: AuthorizationServer
    /// The tree that the user must complete.
    let tree: String

    let routeDescriptions = [
        "/protected/transaction?_txid=":
            """
        Any method, with a session: 200 with the _txid of a transaction that the user has authorized, else an advice, as \
        a redirect or, with X-Authenticate-Response: header, as a challenge.
        """,
        "/protected/tree":
            "Any method, with a session: 200 if the user has signed in by the tree for step-ups, else an advice.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/protected/transaction") { request, _ in
            let decision = await server.decide(
                "\(request.method.rawValue) \(request.uri.path)",
                by: try await session(of: request),
                transaction: try request.journeyQuery()["_txid"],
                tree: tree
            )
            return try await response(to: request, decision)
        }
        router.any("/protected/tree") { request, _ in
            let session = try await session(of: request)
            return try await response(to: request, await server.decide(by: session, tree: tree))
        }
    }

    private func session(of request: Request) async throws(JourneyRefusal) -> UserSession {
        let presented = await BrowserPages(server: server).session(of: request)
        return try await server.session(presented, or: request.endpointRequestWithoutForm)
    }

    private func response(to request: Request, _ decision: Transactions.Decision) async throws -> Response {
        switch decision {
        case .allowed(let username):
            let members: [String: JsonValue] = ["message": "Access granted.", "username": .string(username)]
            return try Response.json(members)
        case .refused(let advice, let session):
            let issuer = await server.issuer
            let realm = session.realm
            var headers: HTTPFields = [.cacheControl: "no-store"]
            // The convention of PingGateway.
            if request.headers[HTTPField.Name("X-Authenticate-Response")]?.lowercased() == "header" {
                headers[.wwwAuthenticate] = advice.challenge(realm: realm, issuer: issuer)
                return Response(status: .unauthorized, headers: headers)
            }
            let query = [
                ("goto", issuer + request.uri.path), ("realm", realm), ("authIndexType", "composite_advice"),
                ("authIndexValue", advice.xml),
            ]
            headers[.location] = RedirectURI.adding(query.map { ($0.0, $0.1) }, to: issuer + "/")
            return Response(status: .temporaryRedirect, headers: headers)
        }
    }
}
