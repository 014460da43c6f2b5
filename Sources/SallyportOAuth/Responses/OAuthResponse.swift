import Foundation
import Sallyport
import SallyportJOSE
import SallyportTransport

/// A server's response to a request of an ``OAuthClient``, with a body of limited size.
struct OAuthResponse: Sendable {
    static let maximumBodySize = 1 << 20

    let status: HttpStatus
    let headers: HttpHeaders
    let body: Data
    /// The method and URL, for errors.
    let request: String
    /// The secrets in the request. They are masked in errors in case the server repeats them.
    let secrets: [String]

    init(_ response: HttpResponse, secrets: [String] = []) throws(OAuthError) {
        status = response.status
        headers = response.headers
        body = response.body ?? Data()
        request = response.request.description
        self.secrets = secrets
        if body.count > Self.maximumBodySize {
            throw OAuthError(
                status: status.code,
                failure: NetworkFailure(
                    "the response has \(body.count) bytes, and the maximum is 1 MiB",
                    request: request
                )
            )
        }
    }

    /// The body as a JSON object, regardless of its `Content-Type`; `nil` if it is no JSON object.
    var object: [String: JsonValue]? { try? JSONDecoder().decode([String: JsonValue].self, from: body) }

    /// Returns the body as a JSON object.
    ///
    /// - Parameter purpose: The purpose of the request, for errors.
    /// - Throws: ``OAuthError``, with the server's error code if the status is not successful.
    func object(of purpose: String) throws(OAuthError) -> [String: JsonValue] {
        guard status.isSuccess() else { throw refusal(of: purpose) }
        guard let object else { throw invalid("the response to \(purpose) is not a JSON object") }
        return object
    }

    /// Returns the error for a response that refuses the request, with the server's error code if it has one.
    ///
    /// - Parameter advice: The advice if the server sent no error code.
    func refusal(of purpose: String, advice: String? = nil) -> OAuthError {
        let object = object
        var refusal = OAuthError(
            error: object?["error"]?.string.map { SanitizedText.make(from: $0, removing: secrets) },
            errorDescription: object?["error_description"]?.string.map {
                SanitizedText.make(from: $0, removing: secrets)
            },
            status: status.code,
            body: body,
            failure: NetworkFailure(
                "the server refused \(purpose)",
                request: request,
                advice: object?["error"] == nil ? advice : nil
            )
        )
        refusal.serverDate = headers["Date"]?.first.flatMap { HttpDate.parse($0) }
        return refusal
    }

    /// Returns the error for a response that cannot be accepted, with the refresh token that it contains.
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

/// Makes text from a server safe to show: short, on one line, and without the secrets that were sent to the server.
package enum SanitizedText {
    static let maximumLength = 300

    package static func make(from text: String, removing secrets: [String] = []) -> String {
        var text = String(text.prefix(4096))
        for secret in secrets where secret.utf8.count >= 6 { text = text.replacing(secret, with: "***") }
        return VisibleText.line(Redaction.text(text), longest: maximumLength)
    }
}
