import Foundation

extension AuthorizationServer {
    /// Signs somebody in by what they have typed.
    ///
    /// - Returns: The session and the new cookie of the browser, or what is wrong.
    func signIn(_ form: FormParameters) async -> Result<(session: BrowserSession, cookie: String), SignInProblem> {
        let name = form["username"] ?? ""
        guard name.utf8.count <= 256, !logins.isReached(by: name, now: now()) else { return .failure(.tooMany) }
        // Counted before it is looked at, so that many at once are no way around the limit.
        logins.count(name, now: now())
        let isRight = await passwords.matches(form["password"] ?? "", of: users[name], among: configuration.users)
        guard isRight, let user = users[name] else { return .failure(.wrong) }
        logins.forget(name)
        let session = BrowserSession(id: Secret.randomName(), user: user, startedAt: now())
        let cookie = Secret.random()
        sessions.insert(session, for: SecretHash(cookie), until: now() + configuration.lifetimes.session, now: now())
        return .success((session, cookie))
    }

    /// The session of a browser.
    func session(_ cookie: String?) -> BrowserSession? {
        cookie.flatMap { sessions.value(for: SecretHash($0), now: now()) }
    }

    /// Continues a transaction with the answer of the login page.
    func answerLogin(_ form: FormParameters, cookie: String?) async -> (step: AuthorizationStep, cookie: String?) {
        guard let (id, transaction) = transaction(form, cookie: cookie) else { return (Self.outdated, nil) }
        switch await signIn(form) {
        case .success(let signedIn):
            if let cookie { sessions.remove(SecretHash(cookie)) }
            guard
                let transaction = transactions.update(
                    id,
                    now: now(),
                    {
                        $0.signedInSession = signedIn.session.id
                        return $0
                    }
                )
            else {
                return (Self.outdated, signedIn.cookie)
            }
            return (next(id, transaction, cookie: signedIn.cookie), signedIn.cookie)
        case .failure(let problem):
            let request = transaction.request
            let about = AuthorizationForm(
                subject: id,
                clientName: request.client.name,
                destination: RedirectURI.source(of: request.target.redirectURI)
            )
            return (.login(about, username: form["username"] ?? "", problem: problem.sentence), nil)
        }
    }

    /// Continues a transaction with the answer of the consent page.
    ///
    /// Only the session that was shown the page can answer it. If a login from before the request has become older than
    /// `max_age` meanwhile, the login page is shown again.
    func answerConsent(_ form: FormParameters, cookie: String?) -> AuthorizationStep {
        guard let (id, transaction) = transaction(form, cookie: cookie), let session = session(cookie),
            transaction.consentingSession == session.id
        else { return Self.outdated }
        let request = transaction.request
        guard form["decision"] == "allow" else {
            transactions.remove(id)
            return refuse(request.target, OAuthRefusal(.accessDenied, "The person has said no."))
        }
        guard isFresh(session, for: transaction) else { return next(id, transaction, cookie: cookie) }
        let key = consentKey(session, request.client)
        let given = consents.value(for: key, now: now()) ?? []
        consents.insert(given.union(request.scopes), for: key, until: now() + 30 * 24 * 3600, now: now())
        return finish(id, transaction, session)
    }

    /// The page for an answer that comes too late, out of order, or from another browser.
    static let outdated = AuthorizationStep.message(
        title: "This page is out of date",
        text: "Go back to the program that sent you here, and begin again."
    )

    private func transaction(
        _ form: FormParameters,
        cookie: String?
    ) -> (id: String, transaction: AuthorizationTransaction)? {
        guard let id = form["transaction"], formKey.accepts(form["csrf"], for: id, cookie: cookie),
            let transaction = transactions.value(for: id, now: now())
        else { return nil }
        return (id, transaction)
    }
}

/// Why somebody is not signed in.
enum SignInProblem: Error {
    case wrong
    case tooMany

    var sentence: String {
        switch self {
        case .wrong: "The name or the password is wrong."
        case .tooMany: "There were too many attempts. Try again in five minutes."
        }
    }
}
