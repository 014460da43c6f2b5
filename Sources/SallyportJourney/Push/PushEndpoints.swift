import Foundation
import Sallyport
import SallyportOAuth

/// Sends the requests of push authentication.
struct PushEndpoints: Sendable {
    private let httpClient: HttpClient

    /// The maximum size of a response, in bytes.
    private static let maximumBodySize = 1 << 16

    /// - Parameter httpClient: The client that sends the requests; by default a new one.
    init(_ httpClient: HttpClient?) {
        let client = httpClient ?? HttpClient.createClient()
        // The cookies of the given client belong to its user, who may have another account than a mechanism.
        self.httpClient = client.derived { config in
            config.cookieJar = nil
            config.maximumBodySize = min(config.maximumBodySize, Self.maximumBodySize)
        }
    }

    /// Posts a JSON object.
    ///
    /// - Parameters:
    ///   - type: The action type of the request.
    ///   - url: The URL of the endpoint.
    ///   - action: The value that replaces `_action` in the query of the URL; `nil` to leave it unchanged.
    ///   - body: The members of the object.
    ///   - cookie: The cookie of the load balancer, if there is one.
    /// - Throws: ``MechanismError`` if there is no response, or if the server refuses the request.
    func send(
        _ type: ActionType,
        to url: String,
        action: String? = nil,
        _ body: [String: String],
        cookie: String?
    ) async throws(MechanismError) {
        var request = httpClient.ownRequest(url, type)
        if let action { request.setParameter(name: "_action", value: action) }
        // The server accepts each challenge once.
        request.retry = .never
        request.setHeader(name: "accept-api-version", value: "resource=1.0, protocol=1.0")
        if let cookie { request.setCookie(cookie: cookie) }
        request.post(json: body)
        let response: HttpResponse
        do throws(NetworkError) {
            response = try await httpClient.request(request: request)
        } catch {
            throw MechanismError(error)
        }
        if !response.status.isSuccess() { throw .refused(response, secrets: Array(body.values)) }
    }
}

extension MechanismError {
    /// Returns the error for a response that refuses a request, with the server's message if it has one.
    fileprivate static func refused(_ response: HttpResponse, secrets: [String]) -> MechanismError {
        let message = ServerMessage(
            in: response.body ?? Data(),
            contentType: response.getHeader(name: NetworkConstants.headerContentType),
            masking: SecretMasker(sentBy: response.request, and: secrets)
        ).message
        let reason = "the server refused it (status \(response.status.code))" + (message.map { ": \($0)" } ?? "")
        let failure = NetworkFailure(
            reason,
            request: response.request.description,
            advice: "start again with a new code or sign-in; the previous one may have been used or have expired"
        )
        return MechanismError(.refused, failure, status: response.status.code)
    }
}
