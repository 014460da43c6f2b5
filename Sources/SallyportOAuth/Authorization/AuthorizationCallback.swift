import Foundation
import Sallyport
import SallyportJOSE

/// The authorization response in the URL that a browser was redirected to (RFC 6749, section 4.1.2).
struct AuthorizationCallback {
    private let pairs: [(name: String, value: String)]

    /// Parses the URL that the browser was redirected to.
    ///
    /// - Throws: ``OAuthError`` if it is not the redirect URI of the request, or if the response is in its fragment.
    init(_ url: String, of request: AuthorizationRequest) throws(OAuthError) {
        guard Self.isCallback(url, to: request.redirectURI) else {
            let expected = Self.parts(of: request.redirectURI)[0]
            throw Self.refusal("the callback was not received at the redirect URI \(expected)")
        }
        let beforeFragment = url.prefix { $0 != "#" }
        let parts = Self.parts(of: url)
        pairs = parts.count > 1 ? QueryText.pairs(of: parts[1]) : []
        let fragment = url[beforeFragment.endIndex...]
        if fragment.contains("="), !pairs.contains(where: { ["code", "error"].contains($0.name) }) {
            throw Self.refusal(
                "the response is in the fragment of the URL",
                advice: "the response has to be in the query; remove response_mode and response_type from the request"
            )
        }
    }

    /// Returns a Boolean value that indicates whether a URL is the redirect URI, apart from its query and fragment.
    static func isCallback(_ url: String, to redirectURI: String) -> Bool {
        normalized(parts(of: url)[0]) == normalized(parts(of: redirectURI)[0])
    }

    /// Returns the URL without its query and fragment, and the query if there is one.
    private static func parts(of url: String) -> [Substring] {
        url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    }

    /// Returns the authorization code, after checking that the response is for the request and from the server.
    ///
    /// - Parameter template: The template for the issuers of the server's tenants. The issuer of the response may also be any of them.
    func code(
        for request: AuthorizationRequest,
        issuer: String,
        template: IssuerTemplate?,
        isIssuerRequired: Bool
    ) throws(OAuthError) -> String {
        guard let state = try singleValue(of: "state"), ConstantTime.areEqual(state.utf8, request.state.utf8)
        else {
            throw Self.refusal(
                "the response is not for this request: its state differs",
                advice: "start the login again; unless another login was started meanwhile, this may be an attack"
            )
        }
        let iss = try singleValue(of: "iss")
        if let iss, iss != issuer, template?.matches(iss) != true {
            throw Self.refusal(
                "the response is from \"\(SanitizedText.make(from: iss))\", not from \(issuer) (RFC 9207)"
            )
        }
        if iss == nil, isIssuerRequired {
            throw Self.refusal(
                "the response has no issuer (iss), although the metadata of \(issuer) promises it (RFC 9207)"
            )
        }
        if let error = try singleValue(of: "error"), !error.isEmpty {
            let description = try singleValue(of: "error_description") ?? ""
            throw OAuthError(
                error: SanitizedText.make(from: error),
                errorDescription: description.isEmpty ? nil : SanitizedText.make(from: description),
                failure: NetworkFailure("\(issuer) did not authorize the client")
            )
        }
        guard let code = try singleValue(of: "code"), !code.isEmpty else {
            throw Self.refusal("the response has no code")
        }
        return code
    }

    /// Returns the value of a parameter, which must not be repeated (RFC 6749, section 3.1).
    private func singleValue(of name: String) throws(OAuthError) -> String? {
        let values = pairs.filter { $0.name == name }
        if values.count > 1 { throw Self.refusal("the response contains the parameter \(name) more than once") }
        return values.first?.value
    }

    /// Returns a URL without query, with scheme and host in lower case.
    private static func normalized(_ url: Substring) -> String {
        guard let start = url.range(of: "://")?.upperBound else {
            let schemeEnd = url.firstIndex(of: ":") ?? url.startIndex
            return url[..<schemeEnd].lowercased() + url[schemeEnd...]
        }
        let end = url[start...].firstIndex(of: "/") ?? url.endIndex
        let path = url[end...]
        return url[..<end].lowercased() + (path.isEmpty ? "/" : path)
    }

    private static func refusal(_ reason: String, advice: String? = nil) -> OAuthError {
        OAuthError(failure: NetworkFailure(reason, advice: advice))
    }
}
