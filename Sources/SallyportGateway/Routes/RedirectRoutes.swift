import Hummingbird

/// Redirects.
@available(macOS 14, iOS 17, tvOS 17, *)
struct RedirectRoutes: RouteGroup {
    private static let statuses = [301, 302, 303, 307, 308]

    let routeDescriptions = [
        "/redirect/{count}?status=302": "Any method: that many relative redirects, at most 100, then /echo.",
        "/redirect-to?url=/echo&status=302": "Any method: a redirect to that URL with 301, 302, 303, 307 or 308.",
        "/redirect-loop?status=302": "Any method: a redirect to itself.",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.any("/redirect/{count}") { request, context in
            let count: Int = try context.parameters.require("count", in: 1...100)
            let status = try status(of: request)
            let target = count == 1 ? "../echo" : "\(count - 1)?status=\(status.code)"
            return Response(status: status, headers: [.location: target])
        }
        router.any("/redirect-to") { request, _ in
            let target = request.query("url") ?? ""
            guard !target.isEmpty, target.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
                throw HTTPError(.badRequest, message: "url must be given, without spaces or controls.")
            }
            return Response(status: try status(of: request), headers: [.location: target])
        }
        router.any("/redirect-loop") { request, _ in
            let status = try status(of: request)
            return Response(status: status, headers: [.location: "/redirect-loop?status=\(status.code)"])
        }
    }

    private func status(of request: Request) throws -> HTTPResponse.Status {
        let code = try request.query("status", in: 300...399, default: 302)
        guard Self.statuses.contains(code) else {
            throw HTTPError(.badRequest, message: "status must be one of 301, 302, 303, 307 and 308.")
        }
        return HTTPResponse.Status(code: code)
    }
}
