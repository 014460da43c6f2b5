import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// How long somebody may take to answer the pages, in seconds.
    private static let patience: TimeInterval = 600
    private static let pushedPrefix = "urn:ietf:params:oauth:request_uri:"

    /// Begins with a request that a browser has brought.
    func authorize(_ query: FormParameters, cookie: String?) -> AuthorizationStep {
        let parameters: FormParameters
        var pushed: SecretHash?
        switch expand(query) {
        case .success(let expanded): (parameters, pushed) = expanded
        case .failure(let refusal): return .message(title: "This link does not work", text: refusal.description)
        }
        let target: AuthorizationTarget
        do {
            target = try self.target(parameters)
        } catch {
            return .message(title: "This link does not work", text: error.description)
        }
        do throws(OAuthRefusal) {
            guard pushed != nil || !target.client.metadata.demandsPushedRequests else {
                throw OAuthRefusal(.invalidRequest, "The client has to push its requests (RFC 9126).")
            }
            let request = try GatewayAuthorizationRequest(target, parameters)
            let id = Secret.randomName()
            let transaction = AuthorizationTransaction(request: request, pushed: pushed)
            transactions.insert(transaction, for: id, until: now() + Self.patience, now: now())
            return next(id, transaction, cookie: cookie)
        } catch {
            return refuse(target, error)
        }
    }

    /// Returns the next step of a transaction: an answer to the client, or a page for the user.
    func next(_ id: String, _ transaction: AuthorizationTransaction, cookie: String?) -> AuthorizationStep {
        let request = transaction.request
        let form = AuthorizationForm(
            subject: id,
            clientName: request.client.name,
            destination: RedirectURI.source(of: request.target.redirectURI)
        )
        guard let session = session(cookie), isFresh(session, for: transaction) else {
            if request.prompts.contains(.none) {
                transactions.remove(id)
                return refuse(request.target, OAuthRefusal(.loginRequired, "Nobody is signed in."))
            }
            return .login(form, username: request.loginHint ?? "", problem: nil)
        }
        if needsConsent(request, session) {
            if request.prompts.contains(.none) {
                transactions.remove(id)
                return refuse(request.target, OAuthRefusal(.consentRequired, "The person has to be asked."))
            }
            transactions.update(id, now: now()) { $0.consentingSession = session.id }
            return .consent(form, username: session.user.username, scopes: request.scopes)
        }
        return finish(id, transaction, session)
    }

    /// Gives the code, and takes the browser back to the client with it.
    func finish(_ id: String, _ transaction: AuthorizationTransaction, _ session: BrowserSession) -> AuthorizationStep {
        let request = transaction.request
        transactions.remove(id)
        if let pushed = transaction.pushed, self.pushed.remove(pushed) == nil {
            return .message(title: "This link does not work", text: "It has been used before.")
        }
        let text = Secret.random()
        let code = AuthorizationCode(
            grant: session.grant(to: request.client, scopes: request.scopes, nonce: request.nonce),
            redirectURI: request.target.redirectURI,
            challenge: request.challenge,
            proofKey: request.proofKey
        )
        codes.insert(code, for: SecretHash(text), until: now() + configuration.lifetimes.code, now: now())
        return .redirect(request.target.address([("code", text)], issuer: issuer))
    }

    /// Tells the client why not.
    func refuse(_ target: AuthorizationTarget, _ refusal: OAuthRefusal) -> AuthorizationStep {
        statistics.refusals[refusal.code.rawValue, default: 0] += 1
        return .redirect(target.address(refusal, issuer: issuer))
    }

    /// Keeps a request that a client sends itself (RFC 9126), once it has been checked like one that a browser brings.
    func push(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let client = try await authenticate(request)
        let form = request.parameters
        guard form["request_uri"] == nil else {
            throw OAuthRefusal(.invalidRequest, "A pushed request cannot name another.")
        }
        var values = form.values(except: ["client_secret", "client_assertion", "client_assertion_type"])
        values["client_id"] = client.id
        if let key = try await proofKey(of: request, by: client.id) {
            guard form["dpop_jkt"].map({ $0 == key }) ?? true else {
                throw OAuthRefusal(.invalidProof, "The dpop_jkt is not of the key that the request proves.")
            }
            values["dpop_jkt"] = key
        }
        let parameters = FormParameters(values)
        _ = try GatewayAuthorizationRequest(try target(parameters), parameters)
        let name = Secret.random()
        let lifetime = configuration.lifetimes.pushedRequest
        pushed.insert(
            PushedRequest(clientID: client.id, parameters: parameters),
            for: SecretHash(name),
            until: now() + lifetime,
            now: now()
        )
        return ["request_uri": .string(Self.pushedPrefix + name), "expires_in": .integer(Int64(lifetime))]
    }

    /// The parameters of a request, and the name of the pushed one if they are those of one.
    private func expand(_ query: FormParameters) -> Result<(FormParameters, SecretHash?), OAuthRefusal> {
        guard let uri = query["request_uri"] else { return .success((query, nil)) }
        guard uri.hasPrefix(Self.pushedPrefix) else {
            return .failure(OAuthRefusal(.requestURINotSupported, "Only requests that were pushed here are read."))
        }
        let name = SecretHash(String(uri.dropFirst(Self.pushedPrefix.count)))
        guard let request = pushed.value(for: name, now: now()), query["client_id"] == request.clientID else {
            return .failure(
                OAuthRefusal(.invalidRequestURI, "The request has ended, was used, or is another client's.")
            )
        }
        return .success((request.parameters, name))
    }

    private func target(_ parameters: FormParameters) throws(OAuthRefusal) -> AuthorizationTarget {
        guard let id = parameters["client_id"], let client = client(id) else {
            throw OAuthRefusal(.invalidRequest, "The program that sent you here is not known (client_id).")
        }
        guard let uri = parameters["redirect_uri"],
            RedirectURI.matches(uri, oneOf: client.metadata.redirectURIs)
        else {
            throw OAuthRefusal(
                .invalidRequest,
                "The program \(client.name) wants you to be sent to an address that is not registered (redirect_uri)."
            )
        }
        return AuthorizationTarget(client: client, redirectURI: uri, state: parameters["state"])
    }

    /// Returns true if the user has signed in as recently as the request's `prompt` and `max_age` demand.
    func isFresh(_ session: BrowserSession, for transaction: AuthorizationTransaction) -> Bool {
        if transaction.signedInSession == session.id { return true }
        let request = transaction.request
        if !request.prompts.isDisjoint(with: [.login, .selectAccount]) { return false }
        return request.maximumAge.map { now().timeIntervalSince(session.startedAt) <= $0 } ?? true
    }

    /// Whether the person has to be asked. A public client is asked about each time: anybody can say to be it (RFC 8252, section 8.6).
    private func needsConsent(_ request: GatewayAuthorizationRequest, _ session: BrowserSession) -> Bool {
        if request.prompts.contains(.consent) || request.client.isPublic { return true }
        let given = consents.value(for: consentKey(session, request.client), now: now()) ?? []
        return !given.isSuperset(of: request.scopes)
    }

    func consentKey(_ session: BrowserSession, _ client: GatewayClient) -> ConsentKey {
        ConsentKey(username: session.user.username, clientID: client.id)
    }
}
