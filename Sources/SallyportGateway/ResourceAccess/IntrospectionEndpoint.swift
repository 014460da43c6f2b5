import Foundation
import Sallyport
import SallyportJOSE

/// The introspection endpoint of an identity server in another process (RFC 7662), to which the resource gateway authenticates with a
/// client secret.
///
/// Responses are not cached, so that a revoked token is refused at once. It needs neither the metadata nor the issuer of the identity
/// server, which `OAuthClient` would fetch first.
public struct IntrospectionEndpoint: AccessTokenSource {
    /// The maximum duration of a request, in seconds.
    private static let timeout: TimeInterval = 5

    private let url: String
    private let authorization: String
    private let httpClient: HttpClient

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - url: The URL, which must use https, or plain http on a loopback address.
    ///   - clientID: The client identifier of the resource gateway.
    ///   - secret: The client secret.
    ///   - httpClient: The client that sends the requests.
    public init(url: String, clientID: String, secret: String, httpClient: HttpClient) {
        self.url = url
        // Both are encoded as in forms (RFC 6749, section 2.3.1).
        let pair = "\(clientID.formEncoded):\(secret.formEncoded)"
        authorization = "Basic \(Data(pair.utf8).base64EncodedString())"
        self.httpClient = httpClient
    }

    func claims(ofAccessToken token: String) async throws -> [String: JsonValue]? {
        var request = httpClient.request()
        request.url = url
        request.form(parameters: ["token": token])
        request.setHeader(name: NetworkConstants.headerAuthorization, value: authorization, isSensitive: true)
        request.requiresSecureTransport = true
        request.carriesOwnCredentials = true
        request.timeout = Self.timeout
        let response = try await httpClient.request(request: request)
        guard response.status.isSuccess() else {
            throw IntrospectionFailure("it answered with the status \(response.status.code)")
        }
        guard let body = response.body,
            let members = try? JSONDecoder().decode([String: JsonValue].self, from: body),
            let isActive = members["active"]?.bool
        else { throw IntrospectionFailure("its response is not an introspection response (RFC 7662)") }
        return isActive ? members : nil
    }
}

/// The failure of an introspection request. It contains no token.
struct IntrospectionFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
