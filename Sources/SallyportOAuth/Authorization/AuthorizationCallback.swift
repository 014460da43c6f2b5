import Foundation
import Sallyport
import SallyportJOSE

/// What a browser came back with.
struct AuthorizationCallback {
    private let pairs: [(name: String, value: String)]

    /// Reads the URL that the browser was sent to.
    ///
    /// - Throws: ``OAuthError`` if it is not the URL of the request, or has its response in a form or a fragment.
    init(_ url: String, of request: AuthorizationRequest) throws(OAuthError) {
        let beforeFragment = url.prefix { $0 != "#" }
        let parts = beforeFragment.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let expected = request.redirectURI.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard Self.place(parts[0]) == Self.place(expected[0]) else {
            throw Self.refusal("the browser came back elsewhere than to \(expected[0])")
        }
        pairs = parts.count > 1 ? QueryText.pairs(of: parts[1]) : []
        let fragment = url[beforeFragment.endIndex...]
        if fragment.contains("="), !pairs.contains(where: { ["code", "error"].contains($0.name) }) {
            throw Self.refusal(
                "the response stands in the fragment of the URL",
                advice:
                    "the server has to response in the query; take response_mode and response_type out of the request"
            )
        }
    }

    /// The code, once the response has shown to be for the request and of the server.
    func code(for request: AuthorizationRequest, issuer: String, isIssuerRequired: Bool) throws(OAuthError) -> String {
        guard let state = try only("state"), ConstantTime.areEqual(state.utf8, request.state.utf8) else {
            throw Self.refusal(
                "the response is not for this request: its state is another",
                advice: "begin again; if nobody did anything else meanwhile, someone else's response was slipped in"
            )
        }
        let iss = try only("iss")
        if let iss, iss != issuer {
            throw Self.refusal("the response is of \"\(SanitizedText.make(from: iss))\", not of \(issuer) (RFC 9207)")
        }
        if iss == nil, isIssuerRequired {
            throw Self.refusal("the response does not say who it is of, as \(issuer) says that it does (RFC 9207)")
        }
        if let error = try only("error") {
            throw OAuthError(
                error: SanitizedText.make(from: error),
                errorDescription: try only("error_description").map { SanitizedText.make(from: $0) },
                failure: NetworkFailure("\(issuer) did not authorize the client")
            )
        }
        guard let code = try only("code"), !code.isEmpty else { throw Self.refusal("the response holds no code") }
        return code
    }

    /// The value of a name, which may come once only (RFC 6749, section 3.1).
    private func only(_ name: String) throws(OAuthError) -> String? {
        let values = pairs.filter { $0.name == name }
        if values.count > 1 { throw Self.refusal("the response has \(name) twice") }
        return values.first?.value
    }

    /// A URL without query, its scheme and host in lower case.
    private static func place(_ url: Substring) -> String {
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

/// The pairs of a query or a form, as the authorization response has them (RFC 6749, appendix B).
enum QueryText {
    /// - Returns: The pairs in order; what is no valid escape stands as it came.
    static func pairs(of text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text).replacing("+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }
}
