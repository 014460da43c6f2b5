import Foundation
import Sallyport
import SallyportJOSE
import SallyportTransport

extension OAuthServer {
    /// Where a server's metadata may be: OpenID Connect puts the name behind the issuer's path, RFC 8414 before it.
    static func metadataURLs(of issuer: String) throws(OAuthError) -> [String] {
        if let problem = problem(with: issuer) {
            throw OAuthError(
                failure: NetworkFailure(
                    "the issuer \"\(ServerWords.shown(issuer))\" cannot be used: \(problem)",
                    advice: "give the https URL that the server's metadata names as its issuer"
                )
            )
        }
        let start = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let authorityStart = start.range(of: "://")?.upperBound ?? start.startIndex
        let pathStart = start[authorityStart...].firstIndex(of: "/") ?? start.endIndex
        return [
            start + "/.well-known/openid-configuration",
            start[..<pathStart] + "/.well-known/oauth-authorization-server" + start[pathStart...],
        ]
    }

    private static func problem(with issuer: String) -> String? {
        if issuer.contains(where: { "?#".contains($0) }) { return "it has a query or a fragment" }
        return EndpointAddress.problem(with: issuer)
    }

    func discover() async throws -> ServerMetadata {
        var attempts: [String] = []
        var status: Int?
        for url in try Self.metadataURLs(of: issuer) {
            let response = try await httpClient.request(request: request(url, .discover))
            let answer = try ServerAnswer(response)
            if answer.status == .ok, let members = answer.object {
                return try check(ServerMetadata(members: members), in: answer)
            }
            if answer.status.isServerError() { throw answer.refusal(of: "the request for its metadata") }
            status = answer.status.code
            attempts.append("\(url) answered \(answer.status.code)" + (answer.status == .ok ? " without JSON" : ""))
        }
        throw OAuthError(
            status: status,
            failure: NetworkFailure(
                "\(issuer) publishes no metadata: \(attempts.joined(separator: ", "))",
                advice: SettingAdvice.describeEndpoints.rawValue
            )
        )
    }

    private func check(_ metadata: ServerMetadata, in answer: ServerAnswer) throws(OAuthError) -> ServerMetadata {
        if metadata.issuer == issuer { return metadata }
        throw answer.invalid(
            "the metadata is that of \"\(ServerWords.shown(metadata.issuer))\", not of \"\(issuer)\"",
            advice: "give the issuer exactly as the server names itself, to the last slash, if you trust that name"
        )
    }
}
