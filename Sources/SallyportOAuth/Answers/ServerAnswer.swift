import Foundation
import Sallyport
import SallyportJOSE

/// A server's response to one of our calls, of a size that can be handled.
struct ServerAnswer: Sendable {
    static let longestBody = 1 << 20

    let status: HttpStatus
    let headers: HttpHeaders
    let body: Data
    /// The method and URL, as errors show them.
    let request: String
    /// What was sent in confidence, and is not shown even if the server repeats it.
    let secrets: [String]

    init(_ response: HttpResponse, secrets: [String] = []) throws(OAuthError) {
        status = response.status
        headers = response.headers
        body = response.body ?? Data()
        request = response.request.description
        self.secrets = secrets
        if body.count > Self.longestBody {
            throw OAuthError(
                status: status.code,
                failure: NetworkFailure(
                    "the answer is \(body.count) bytes long, and 1 MiB is the most",
                    request: request
                )
            )
        }
    }

    /// The body as an object of JSON, whatever type it is said to be of; `nil` if it is none.
    var object: [String: JsonValue]? { try? JSONDecoder().decode([String: JsonValue].self, from: body) }

    /// The object that the body has to be.
    ///
    /// - Throws: ``OAuthError`` as the server says it, if the status is none of success.
    func object(of what: String) throws(OAuthError) -> [String: JsonValue] {
        guard status.isSuccess() else { throw refusal(of: what) }
        guard let object else { throw invalid("the answer to \(what) is not an object of JSON") }
        return object
    }

    /// What the server says why it refuses; without words of its own, at least the status.
    func refusal(of what: String) -> OAuthError {
        let object = object
        return OAuthError(
            error: object?["error"]?.string.map { ServerWords.shown($0, without: secrets) },
            errorDescription: object?["error_description"]?.string.map { ServerWords.shown($0, without: secrets) },
            status: status.code,
            body: body,
            failure: NetworkFailure("the server refused \(what)", request: request)
        )
    }

    /// Returns the error for a response that cannot be accepted, with the refresh token in it.
    func invalid(_ reason: String, advice: String? = nil) -> OAuthError {
        var error = OAuthError(
            status: status.code,
            body: body,
            failure: NetworkFailure(reason, request: request, advice: advice)
        )
        error.issuedRefreshToken = object?["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        return error
    }
}
