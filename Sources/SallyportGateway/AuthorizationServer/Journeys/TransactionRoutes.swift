import Foundation
import HTTPTypes
import Hummingbird
import SallyportJOSE

/// Resources that need a session and, in addition, that the user completes a tree: for every call, or once for the session. The session is
/// in the header field or the cookie, or is the session of the access token.
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
            let query = try request.journeyQuery()
            // The user authorizes the call with its parameters, except the transaction itself.
            let parameters = FormParameters(query.values(except: ["_txid"])).query
            let call = "\(request.method.rawValue) \(request.uri.path)?\(parameters)"
            return try await respond(to: request) { session in
                await server.decide(call, by: session, transaction: query["_txid"], tree: tree)
            }
        }
        router.any("/protected/tree") { request, _ in
            try await respond(to: request) { await server.decide(by: $0, tree: tree) }
        }
    }

    /// Returns the response for the session of a request, or the challenges for an access token that is refused.
    private func respond(
        to request: Request,
        _ decide: (UserSession) async -> Transactions.Decision
    ) async throws -> Response {
        let presented = await BrowserPages(server: server).session(of: request)
        return try await ResourceResponder(server: server).respond(to: request, scope: "api") { call in
            let session = try await server.session(presented, or: call)
            return try await response(to: request, await decide(session))
        }
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
            return try await ResourceResponder(server: server).respond(
                to: request,
                scope: "api",
                requirement: requirement
            ) { request in
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
