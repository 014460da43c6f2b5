import Foundation
import SallyportJOSE

/// The authorization requests that clients have pushed (RFC 9126).
final class PushedRequests {
    private struct PushedRequest: Sendable {
        let clientID: String
        let parameters: FormParameters
    }

    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    private let context: ServerContext
    private let clients: ClientRegistry
    private var requests = ExpiringTable<SecretHash, PushedRequest>(limit: 4096) { $1.clientID }

    init(_ context: ServerContext, clients: ClientRegistry) {
        self.context = context
        self.clients = clients
    }

    /// Checks a request like an authorization request from a browser, and stores it.
    ///
    /// - Parameters:
    ///   - form: The parameters of the request.
    ///   - client: The client that has sent it.
    ///   - proofKey: The thumbprint of the key that the request proved.
    func push(
        _ form: FormParameters,
        by client: GatewayClient,
        proofKey: String?
    ) throws(OAuthRefusal) -> [String: JsonValue] {
        guard form["request_uri"] == nil else {
            throw OAuthRefusal(.invalidRequest, "A pushed request cannot contain a request_uri.")
        }
        var values = form.values(except: ["client_secret", "client_assertion", "client_assertion_type"])
        values["client_id"] = client.id
        if let proofKey {
            guard form["dpop_jkt"].map({ $0 == proofKey }) ?? true else {
                throw OAuthRefusal(.invalidProof, "The dpop_jkt differs from the key that the request proves.")
            }
            values["dpop_jkt"] = proofKey
        }
        let parameters = FormParameters(values)
        let target = try AuthorizationTarget(parameters, clients: clients, issuer: context.issuer)
        _ = try GatewayAuthorizationRequest(target, parameters)
        let name = Secret.random()
        let lifetime = context.lifetimes.pushedRequest
        let now = context.now
        requests.insert(
            PushedRequest(clientID: client.id, parameters: parameters),
            for: SecretHash(name),
            until: now + lifetime,
            now: now
        )
        return ["request_uri": .string(Self.prefix + name), "expires_in": .integer(Int64(lifetime))]
    }

    /// Returns the parameters of an authorization request, and the key of the pushed request that they come from, if any.
    func resolve(_ query: FormParameters) throws(OAuthRefusal) -> (parameters: FormParameters, pushed: SecretHash?) {
        guard let uri = query["request_uri"] else { return (query, nil) }
        guard uri.hasPrefix(Self.prefix) else {
            throw OAuthRefusal(.requestURINotSupported, "Only pushed requests of this server are supported.")
        }
        let name = SecretHash(String(uri.dropFirst(Self.prefix.count)))
        guard let request = requests.value(for: name, now: context.now), query["client_id"] == request.clientID else {
            throw OAuthRefusal(
                .invalidRequestURI,
                "The pushed request has expired, was used before, or belongs to another client."
            )
        }
        return (request.parameters, name)
    }

    /// Removes a pushed request, which can be used once.
    ///
    /// - Returns: `true` if it had not been used or expired.
    func consume(_ name: SecretHash) -> Bool {
        requests.remove(name) != nil
    }
}
