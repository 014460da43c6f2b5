import Foundation
import Hummingbird
import SallyportJOSE

/// The endpoint that authenticator apps answer push messages at, and the one where they collect the messages, which the gateway does not
/// send by a push service.
@available(macOS 14, iOS 17, tvOS 17, *)
struct PushRoutes: RouteGroup {
    /// The path of the endpoint.
    static let path = "/json/push/sns/message"
    private static let maximumBodySize = 16 * 1024

    let server: AuthorizationServer

    let routeDescriptions = [
        "/json/push/sns/message?_action=": "POST: register, authenticate or refresh, by an authenticator app.",
        "/push/messages": "POST {\"deviceId\"}: the push messages for a device, each of them once.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.post(RouterPath(Self.path)) { request, _ in
            try GatewayApiVersion.push.check(request)
            guard let action = try request.journeyQuery()["_action"].flatMap(AuthenticatorAction.init(rawValue:)) else {
                throw JourneyRefusal.badRequest("The _action must be register, authenticate or refresh.")
            }
            let body = try await request.journeyBody(upTo: Self.maximumBodySize)
            try await server.answerPush(action, try AuthenticatorRequest(body))
            return try Response.json([String: JsonValue]())
        }
        router.post("/push/messages") { request, _ in
            let body = try await request.journeyBody(upTo: Self.maximumBodySize)
            guard let deviceID = [String: JsonValue](json: body)?["deviceId"]?.string else {
                throw JourneyRefusal.badRequest("The body is not a JSON object with a deviceId.")
            }
            return try Response.json(["messages": await server.pushMessages(for: deviceID)])
        }
    }
}
