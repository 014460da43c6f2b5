import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// The URL of an authorization request, which names the request deposited with the server if there is one.
    func browserURL(
        _ endpoint: String,
        _ parameters: [(String, String)],
        _ metadata: ServerMetadata,
        proofKey: SigningKey?
    ) async throws -> String {
        let url = try await preparedURL(endpoint, parameters, .authorize)
        guard pushes(at: metadata) else { return url }
        let deposited = try await deposit(Self.query(of: url, without: endpoint), proofKey: proofKey)
        var request = HttpRequest(url: endpoint)
        request.setParameter(name: "client_id", value: clientID)
        request.setParameter(name: "request_uri", value: deposited)
        return try request.fullURL()
    }

    /// A URL for a browser, after the interceptors.
    func preparedURL(_ endpoint: String, _ parameters: [(String, String)], _ type: ActionType) async throws -> String {
        var request = HttpRequest(url: endpoint)
        request.action = Action(type)
        request.carriesOwnCredentials = true
        for (name, value) in parameters { request.setParameter(name: name, value: value) }
        return try await server.httpClient.prepared(request).fullURL()
    }

    private func pushes(at metadata: ServerMetadata) -> Bool {
        switch configuration.pushedAuthorization {
        case .always: true
        case .whenOffered: metadata.requiresPushedAuthorization || metadata[.pushedAuthorization] != nil
        case .never: metadata.requiresPushedAuthorization
        }
    }

    /// Deposits a request with the server (RFC 9126).
    ///
    /// - Returns: Its name there.
    private func deposit(_ parameters: [(String, String)], proofKey: SigningKey?) async throws -> String {
        let form = parameters.filter { $0.0 != "client_id" || !configuration.authentication.namesClientInForm }
        let answer = try await post(form, to: .pushedAuthorization, .pushAuthorization, proofKey: proofKey)
        let members = try answer.object(of: "the authorization request")
        guard let name = members["request_uri"]?.string, !name.isEmpty, name.utf8.count <= 2048 else {
            throw answer.invalid("the answer has no request_uri")
        }
        return name
    }

    /// The parameters of a URL, without those that its endpoint has anyway.
    private static func query(of url: String, without endpoint: String) -> [(String, String)] {
        var own = pairs(of: endpoint)
        return pairs(of: url).filter { pair in
            guard let place = own.firstIndex(where: { $0 == pair }) else { return true }
            own.remove(at: place)
            return false
        }
    }

    private static func pairs(of url: String) -> [(String, String)] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return QueryText.pairs(of: url[url.index(after: mark)...]).map { ($0.name, $0.value) }
    }
}

extension HttpRequest {
    /// The URL as it goes out, with all parameters.
    func fullURL() throws(NetworkError) -> String {
        let head = try head()
        return "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")"
    }
}
