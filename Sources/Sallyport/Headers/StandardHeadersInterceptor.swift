import HTTPTypes

/// Adds the standard headers that a request does not have yet.
struct StandardHeadersInterceptor: Interceptor {
    private let headers: HTTPFields
    private let problem: NetworkFailure?

    var traceName: String { "standard headers" }

    init(_ standard: StandardHeaders) {
        var template = HttpRequest()
        if let value = standard.requestedWith {
            template.setHeader(name: NetworkConstants.headerRequestedWith, value: value)
        }
        if let value = standard.requestedPlatform {
            template.setHeader(name: NetworkConstants.headerRequestedPlatform, value: value)
        }
        headers = template.fields
        problem = template.problems.first
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        if let problem { throw NetworkError.invalidRequest(problem) }
        var request = request
        add(to: &request)
        return try await next(request)
    }

    func add(to request: inout HttpRequest) {
        if request.fields.isEmpty { return request.fields = headers }
        for field in headers where !request.fields.contains(field.name) { request.fields.append(field) }
    }
}
