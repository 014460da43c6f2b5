import Hummingbird

/// Logs the method, the route and the status of each request, but not its path, which may contain a password.
@available(macOS 14, iOS 17, tvOS 17, *)
struct RequestLogMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: GatewayContext,
        next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        context.logger.info("\(request.method) \(context.endpointPath ?? "unknown") \(response.status.code)")
        return response
    }
}
