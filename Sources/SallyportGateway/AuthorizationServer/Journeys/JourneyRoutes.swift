import Foundation
import HTTPTypes
import Hummingbird

/// The endpoint of trees at one of the paths of a realm.
@available(macOS 14, iOS 17, tvOS 17, *)
struct JourneyRoutes: RouteGroup {
    /// The maximum length of a body, in bytes.
    private static let maximumBodySize = 128 * 1024

    let server: AuthorizationServer
    let realm: GatewayRealm
    /// The path of the realm.
    let path: String

    let routeDescriptions = [
        "/json/realms/{realm}/authenticate?authIndexType=service&authIndexValue={tree}":
            "POST: begins a tree, or continues it with the answers of a step. ForceAuth and noSession apply."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post("/json/realms/\(path)/authenticate") { request, _ in
            try GatewayApiVersion.trees.check(request)
            let pages = BrowserPages(server: server)
            let journey = try JourneyRequest(
                try request.journeyQuery(),
                body: try await request.journeyBody(upTo: Self.maximumBodySize),
                realm: realm.name,
                session: await pages.session(of: request)
            )
            let response = try await server.authenticate(journey)
            var headers = HTTPFields()
            if let token = response.newToken { headers[.setCookie] = await pages.setCookie(token) }
            return try Response.json(response.members, headers: headers)
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Request {
    /// Returns the parameters of the query.
    func journeyQuery() throws(JourneyRefusal) -> FormParameters {
        do throws(OAuthRefusal) {
            return try queryParameters()
        } catch {
            throw .badRequest(error.description)
        }
    }

    /// Returns the body, which must be JSON unless it is empty.
    func journeyBody(upTo limit: Int) async throws -> Data {
        let body = Data(try await body.collect(upTo: limit).readableBytesView)
        let type = headers[.contentType]?.lowercased() ?? ""
        guard body.isEmpty || type == "application/json" || type.hasPrefix("application/json;") else {
            throw JourneyRefusal(status: .unsupportedMediaType, message: "The body must be application/json.")
        }
        return body
    }
}
