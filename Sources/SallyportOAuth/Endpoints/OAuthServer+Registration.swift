import Foundation
import Sallyport
import SallyportJOSE

extension OAuthServer {
    /// Registers a client (RFC 7591).
    ///
    /// ```swift
    /// let client = try await server.register([
    ///     "client_name": "My app", "redirect_uris": ["http://127.0.0.1/callback"],
    ///     "token_endpoint_auth_method": "none",
    /// ])
    /// ```
    ///
    /// - Parameters:
    ///   - members: What the client says of itself.
    ///   - initialToken: The token that allows it, for servers that want one.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func register(
        _ members: [String: JsonValue],
        initialToken: String? = nil
    ) async throws -> RegisteredClient {
        var request = request(try await url(of: .registration), .registerClient)
        request.post(json: members)
        return try await registered(request, token: initialToken)
    }

    /// Reads a client's registration (RFC 7592, section 2.1).
    public func registration(of client: RegisteredClient) async throws -> RegisteredClient {
        try await registered(request(try managementURL(of: client), .registerClient), token: client.registrationToken)
    }

    /// Removes a client's registration (RFC 7592, section 2.3).
    public func unregister(_ client: RegisteredClient) async throws {
        var request = request(try managementURL(of: client), .registerClient)
        request.delete()
        let answer = try await send(request, token: client.registrationToken)
        guard answer.status.isSuccess() else { throw answer.refusal(of: "to remove the registration") }
    }

    private func managementURL(of client: RegisteredClient) throws -> String {
        guard let url = client.registrationURI, EndpointAddress.problem(with: url, of: issuer) == nil else {
            throw OAuthError(failure: NetworkFailure("\(issuer) did not say where the registration can be managed"))
        }
        return url
    }

    private func registered(_ request: HttpRequest, token: String?) async throws -> RegisteredClient {
        let answer = try await send(request, token: token)
        let members = try answer.object(of: "the registration")
        guard let clientID = members["client_id"]?.string, !clientID.isEmpty else {
            throw answer.invalid("the answer has no client_id")
        }
        return RegisteredClient(clientID: clientID, members: members)
    }

    private func send(_ request: HttpRequest, token: String?) async throws -> ServerAnswer {
        var request = request
        if let token {
            let name = NetworkConstants.headerAuthorization
            request.setHeader(name: name, value: "Bearer \(token)", isSensitive: true)
        }
        return try ServerAnswer(try await httpClient.request(request: request), secrets: [token].compactMap(\.self))
    }
}
