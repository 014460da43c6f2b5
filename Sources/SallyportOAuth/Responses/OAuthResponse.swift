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
    /// The body as a JSON object, regardless of its `Content-Type`; `nil` if it is no JSON object. A member that is `null` is absent.
    let object: [String: JsonValue]?
    /// The method and URL, for errors.
    let request: String
    /// The request as it was sent, and further secrets. Secrets are masked in errors in case the server repeats them.
    private let sent: HttpRequest
    private let secrets: [String]

    init(_ response: HttpResponse, secrets: [String] = []) throws(OAuthError) {
        status = response.status
        headers = response.headers
        body = response.body ?? Data()
        request = response.request.description
        sent = response.request
        self.secrets = secrets
        object = body.count > Self.maximumBodySize ? nil : JsonObject.decode(body)
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

    /// `true` if the response contains an error. Some servers send one with a successful status, and others an empty one beside
    /// their tokens.
    var reportsError: Bool {
        switch object?["error"] {
        case nil, .string(""), .bool(false), .integer(0), .number(0), .object([:]), .array([]): false
        default: true
        }
    }

    /// Throws the server's error if the status is not successful, or if the response contains an error nevertheless.
    ///
    /// - Parameter purpose: The purpose of the request, for errors.
    func checkSuccess(of purpose: String) throws(OAuthError) {
        guard status.isSuccess(), !reportsError else { throw refusal(of: purpose) }
    }

    /// Returns the body as a JSON object.
    ///
    /// - Parameter purpose: The purpose of the request, for errors.
    /// - Throws: ``OAuthError``, with the server's error if it refused the request.
    func object(of purpose: String) throws(OAuthError) -> [String: JsonValue] {
        try checkSuccess(of: purpose)
        guard let object else { throw invalid("the response to \(purpose) is not a JSON object") }
        return object
    }

    /// Returns a number of seconds, which some servers send as a string; `nil` if the response has no such member.
    func seconds(_ name: String) throws(OAuthError) -> Double? {
        guard let value = object?[name] else { return nil }
        guard let seconds = value.numberOrText else {
            throw invalid("the \(name) of the response is not a number of seconds")
        }
        return seconds
    }

    private var masker: SecretMasker { SecretMasker(sentBy: sent, and: secrets) }

    /// The server's error code, safe to show; `nil` if it sent none.
    private var errorCode: String? {
        guard let code = object?["error"]?.string, !code.isEmpty else { return nil }
        return SanitizedText.make(from: masker.masked(code))
    }

    /// The server's explanation of its error, safe to show: the `error_description`, or else what a person would read in the body.
    private var explanation: String? {
        if let text = object?["error_description"]?.string, !text.isEmpty {
            return SanitizedText.make(from: masker.masked(text))
        }
        let type = headers[NetworkConstants.headerContentType]?.first
        let message = ServerMessage(in: body, contentType: type, masking: masker).message
        return message == errorCode ? nil : message
    }

    /// The server's error code and explanation in one line, safe to show; empty if it sent neither.
    var errorSummary: String {
        [errorCode, explanation.map { "\"\($0)\"" }].compactMap(\.self).joined(separator: ", ")
    }

    /// Returns the error for a response that refuses the request, with the server's error code and explanation if it has them.
    ///
    /// - Parameter advice: The advice if the server sent no error code.
    func refusal(of purpose: String, advice: String? = nil) -> OAuthError {
        let code = errorCode
        var refusal = OAuthError(
            error: code,
            errorDescription: explanation,
            status: status.code,
            body: body,
            failure: NetworkFailure(
                "the server refused \(purpose)",
                request: request,
                advice: code == nil ? advice : nil
            )
        )
        refusal.serverDate = headers["Date"]?.first.flatMap { HttpDate.parse($0) }
        return refusal
    }

    /// Returns the error for a response that cannot be accepted, with the refresh token that it contains.
    func invalid(_ reason: String, advice: String? = nil) -> OAuthError {
        var error = OAuthError(
            // The page of a proxy or of a login, for example.
            errorDescription: object == nil ? explanation : nil,
            status: status.code,
            body: body,
            failure: NetworkFailure(reason, request: request, advice: advice)
        )
        error.issuedRefreshToken = object?["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        return error
    }
}

/// Decodes JSON objects from servers.
enum JsonObject {
    /// Returns the members of an object without those that are `null`; `nil` if the data is not an object.
    static func decode(_ data: Data) -> [String: JsonValue]? {
        (try? JSONDecoder().decode([String: JsonValue].self, from: data))?.filter { $0.value != .null }
    }
}

extension JsonValue {
    /// The number, which some servers send as a string; `nil` for any other value.
    var numberOrText: Double? {
        (number ?? string.flatMap(Double.init)).flatMap { $0.isFinite ? $0 : nil }
    }
}

/// Makes text from a server safe to show: short, on one line, and without the secrets that were sent to the server.
package enum SanitizedText {
    static let maximumLength = 300

    package static func make(from text: String, removing secrets: [String] = []) -> String {
        VisibleText.line(Redaction.text(String(text.prefix(4096)).removing(secrets)), longest: maximumLength)
    }
}
