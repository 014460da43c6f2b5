import Sallyport

/// The server that receives the secrets of a download's options: headers with secrets, cookies, and the client certificate.
///
/// The user typed them for the server of the URL arguments. A list of downloads and the URL of a checksum file can name other servers.
struct SecretRecipients: Sendable, CustomStringConvertible {
    private let origins: Set<String>
    private let first: String

    /// The origin of the first URL.
    var description: String { first }

    /// Creates the recipients for the URLs that the user typed.
    ///
    /// - Parameter urls: One or more URLs.
    /// - Throws: A failure if a URL is invalid.
    init(_ urls: [String]) throws(NetworkError) {
        var origins: [String] = []
        for url in urls { origins.append(try HttpRequest(url: url).origin()) }
        self.origins = Set(origins)
        first = origins.first ?? ""
    }

    /// Removes the secrets from a request to another server.
    ///
    /// - Returns: The names of the headers and parameters that were removed.
    /// - Throws: A usage error if the request has secrets, and the user typed URLs of several servers.
    func withhold(from request: inout HttpRequest) throws -> [String] {
        var other = request
        other.withholdSecrets(of: first)
        other.parameters = request.parameters.filter { !SecretNames.contains($0.name) }
        let kept = Set(other.getHeaders().keys.map { $0.lowercased() })
        let headers = Set(request.getHeaders().keys).filter { !kept.contains($0.lowercased()) }
        let removed = headers.sorted() + request.parameters.map { $0.name }.filter { SecretNames.contains($0) }
        if origins.count > 1, let name = removed.first {
            throw CommandFailure(
                .usage,
                """
                \(VisibleText.line(name, longest: 100)) applies to one server, but the URLs are of \(origins.count) servers; run a command \
                for each server
                """
            )
        }
        if origins.contains(try request.origin()) { return [] }
        request = other
        return removed
    }
}
