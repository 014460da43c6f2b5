import Foundation
import Hummingbird
import SallyportJOSE

/// The endpoint that ends sessions, at one of the paths of a realm.
@available(macOS 14, iOS 17, tvOS 17, *)
struct SessionRoutes: RouteGroup {
    private static let maximumBodySize = 16 * 1024

    let server: AuthorizationServer
    let realm: GatewayRealm
    /// The path of the realm.
    let path: String

    let routeDescriptions = [
        "/json/realms/{realm}/sessions?_action=logout":
            "POST: ends the session whose token is in the session header or cookie."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post("/json/realms/\(path)/sessions") { request, _ in
            try GatewayApiVersion.sessions.check(request)
            guard try request.journeyQuery()["_action"] == "logout" else {
                throw JourneyRefusal.badRequest("The _action must be logout.")
            }
            let body = try await request.journeyBody(upTo: Self.maximumBodySize)
            let members = [String: JsonValue](json: body)
            guard body.isEmpty || members != nil else {
                throw JourneyRefusal.badRequest("The body is not a JSON object.")
            }
            let session = await BrowserPages(server: server).session(of: request)
            try await server.logout(session, tokenID: members?["tokenId"]?.string, realm: realm)
            return try Response.json(["result": "Successfully logged out"])
        }
    }
}
