import Hummingbird

/// Returns a response with the requested status.
@available(macOS 14, iOS 17, tvOS 17, *)
struct StatusRoutes: RouteGroup {
    let routeDescriptions = ["/status/{code}": "Any method: that status, 200 to 599; 204, 205 and 304 without a body."]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/status/{code}") { request, context in
            let status = HTTPResponse.Status(code: try context.parameters.require("code", in: 200...599))
            if [.noContent, .resetContent, .notModified].contains(status) {
                return Response(status: status)
            }
            let body = StatusBody(status: status.code, reason: status.reasonPhrase)
            var response = try body.response(from: request, context: context)
            response.status = status
            switch status {
            case .unauthorized: response.headers[.wwwAuthenticate] = BasicRoutes.challenge
            case .proxyAuthenticationRequired: response.headers[.proxyAuthenticate] = BasicRoutes.challenge
            default: break
            }
            return response
        }
    }
}

private struct StatusBody: ResponseEncodable {
    let status: Int
    let reason: String
}
