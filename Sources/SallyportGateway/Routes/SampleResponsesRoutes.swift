import Foundation
import HTTPTypes
import Hummingbird

/// Responses that API clients must handle: an envelope without a body, failures, problem details.
@available(macOS 14, iOS 17, tvOS 17, *)
struct SampleResponsesRoutes: RouteGroup {
    let routeDescriptions = [
        "/api/test": "GET: an example model with the values of the query, in an envelope.",
        "/api/notice": "GET: an envelope with a status, without a body.",
        "/api/failures/{status}?code=1":
            "GET: that status, 400 to 599, with an envelope that has a message and a code.",
        "/api/problems/{status}": "GET: that status, 400 to 599, with problem details (RFC 9457).",
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/api/test") { request, context in
            try Response.enveloped(TestModel(request), to: request, context)
        }
        router.get("/api/notice") { request, context in
            try Response.emptyEnvelope("Closed for today.", code: "closed", status: .ok, to: request, context)
        }
        router.get("/api/failures/{status}") { request, context in
            let status = try status(context)
            let code = request.query("code") ?? "\(status.code)"
            return try Response.emptyEnvelope("It did not work.", code: code, status: status, to: request, context)
        }
        router.get("/api/problems/{status}") { request, context in
            let status = try status(context)
            let problem = ProblemDetails(title: "Failure", status: status.code, detail: "It did not work.")
            var response = try problem.response(from: request, context: context)
            response.status = status
            response.headers[.contentType] = "application/problem+json"
            return response
        }
    }

    private func status(_ context: GatewayContext) throws -> HTTPResponse.Status {
        HTTPResponse.Status(code: try context.parameters.require("status", in: 400...599))
    }
}

private struct TestModel: ResponseEncodable {
    let id: Int
    let userId: Int
    let title: String
    let body: String

    @available(macOS 14, iOS 17, tvOS 17, *)
    init(_ request: Request) throws {
        id = try request.query("id", in: 0...1_000_000, default: 1)
        userId = try request.query("userId", in: 0...1_000_000, default: 1)
        title = request.query("title") ?? "Title"
        body = request.query("body") ?? "Body"
    }
}

private struct ProblemDetails: ResponseEncodable {
    let title: String
    let status: Int
    let detail: String
}
