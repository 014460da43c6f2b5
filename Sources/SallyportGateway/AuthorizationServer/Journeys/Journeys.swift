import Foundation
import SallyportJOSE

/// Runs the trees by which users sign in: it stores the runs that wait for an answer or a link, and begins sessions.
final class Journeys {
    /// A run of a tree that waits for the user.
    struct Pending: Sendable {
        /// The effect of a success.
        enum Purpose: Sendable {
            /// It begins a session, unless the request needs none.
            case signIn(needsNoSession: Bool)
            /// It authorizes a transaction of the session that the user already has.
            case transaction(String)
        }

        let name: String
        var run: TreeRun
        let realm: String
        var purpose: Purpose
        /// The token of the session that the user had at the start, which may have ended since.
        let sessionToken: String?
        /// The user of that session; `nil` if there was none.
        let sessionUsername: String?
        /// A Boolean value that indicates whether a success returns the token of that session. Another browser, which has resumed the tree
        /// by its link, does not receive it.
        var returnsSessionToken = true
    }

    /// A response to a successful request.
    struct Response: Sendable {
        let members: [String: JsonValue]
        /// The token of a new session.
        var newToken: String?
    }

    private let context: ServerContext
    private let accounts: UserAccounts
    private let sessions: UserSessions
    private let links: MagicLinks
    private let transactions: Transactions
    private let services: JourneyServices
    /// The runs that wait for an answer, by the hash of their `authId`.
    private var pending = ExpiringTable<SecretHash, Pending>(limit: 16_384) { $1.run.state.username ?? "" }

    init(
        _ context: ServerContext,
        accounts: UserAccounts,
        sessions: UserSessions,
        links: MagicLinks,
        transactions: Transactions,
        services: JourneyServices
    ) {
        self.context = context
        self.accounts = accounts
        self.sessions = sessions
        self.links = links
        self.transactions = transactions
        self.services = services
    }

    /// Begins or continues a tree.
    ///
    /// - Returns: The next step, or the session.
    nonisolated(nonsending) func authenticate(_ request: JourneyRequest) async throws(JourneyRefusal) -> Response {
        switch request.action {
        case .start(let name):
            if let token = request.session.token, !request.forcesAuthentication, !request.needsNoSession,
                sessions.session(token, in: request.realm)?.tree == name
            {
                return Response(members: success(in: request.realm, token: token))
            }
            // The tree begins with the user of the session, so that it can ask only for a password.
            var state = JourneyState()
            state.username = sessions.session(request.session.token, in: request.realm)?.user.username
            return try await start(name, request, .signIn(needsNoSession: request.needsNoSession), state)
        case .startAdvice(let advice):
            return try await start(advice, request)
        case .resume(let id):
            guard var journey = links.redeem(id, in: request.realm) else { throw .suspensionExpired }
            journey.apply(request)
            if request.session.token != journey.sessionToken { journey.returnsSessionToken = false }
            let step = await journey.run.resume(services)
            return try proceed(journey, step)
        case .answer(let authID, let body):
            let hash = SecretHash(authID)
            guard var journey = pending.value(for: hash, now: context.now), journey.realm == request.realm,
                let page = journey.run.page
            else { throw .timedOut }
            let answers = try CallbackAnswer.answers(in: body, to: page)
            // Removed only now, so that the user can repeat an answer that cannot be read.
            pending.remove(hash)
            journey.apply(request)
            let step = await journey.run.answer(answers, services)
            return try proceed(journey, step)
        }
    }

    /// Begins the tree that an advice requires, for the user of the session.
    private nonisolated(nonsending) func start(
        _ advice: SessionAdvice,
        _ request: JourneyRequest
    ) async throws(JourneyRefusal) -> Response {
        guard let session = sessions.session(request.session.token, in: request.realm) else { throw .noSession }
        var state = JourneyState()
        state.username = session.user.username
        switch advice {
        case .tree(let name, let realm):
            guard realm == request.realm else {
                throw .badRequest(
                    "The advice is for the realm \(realm.prefix(64)), but the request is to \(request.realm)."
                )
            }
            return try await start(name, request, .signIn(needsNoSession: request.needsNoSession), state)
        case .transaction(let id):
            guard let tree = transactions.tree(of: id, for: session) else {
                throw .badRequest("The transaction has expired, or belongs to another session.")
            }
            return try await start(tree, request, .transaction(id), state)
        }
    }

    private nonisolated(nonsending) func start(
        _ name: String,
        _ request: JourneyRequest,
        _ purpose: Pending.Purpose,
        _ state: JourneyState
    ) async throws(JourneyRefusal) -> Response {
        guard let tree = context.configuration.trees[name] else {
            throw .badRequest("No Configuration found: there is no tree \"\(name.prefix(64))\".")
        }
        var state = state
        state.query = request.query
        var journey = Pending(
            name: name,
            run: TreeRun(tree, state: state),
            realm: request.realm,
            purpose: purpose,
            sessionToken: request.session.token,
            sessionUsername: sessions.session(request.session.token, in: request.realm)?.user.username
        )
        let step = await journey.run.start(services)
        return try proceed(journey, step)
    }

    /// Stores a run that waits for the user, or ends it.
    private func proceed(_ journey: Pending, _ step: TreeRun.Step) throws(JourneyRefusal) -> Response {
        switch step {
        case .page(let page):
            return Response(members: page.members(authID: store(journey)))
        case .suspended(let page, let message):
            if let message { links.send(message, for: journey) }
            return Response(members: page.members(authID: store(journey)))
        case .success: return try finish(journey)
        case .failure(let refusal): throw refusal
        }
    }

    private func store(_ journey: Pending) -> String {
        let authID = Secret.random()
        let now = context.now
        pending.insert(journey, for: SecretHash(authID), until: now + context.lifetimes.journey, now: now)
        return authID
    }

    /// Ends a run that has succeeded.
    private func finish(_ journey: Pending) throws(JourneyRefusal) -> Response {
        let state = journey.run.state
        guard let name = state.username, let user = accounts.user(named: name) else { throw .failed() }
        let current = sessions.session(journey.sessionToken, in: journey.realm)
        switch journey.purpose {
        case .transaction(let id):
            guard let current, current.user.username == name, transactions.authorize(id, by: current) else {
                throw .noSession
            }
            let token = journey.returnsSessionToken ? journey.sessionToken : nil
            return Response(members: success(in: journey.realm, token: token))
        case .signIn(needsNoSession: true):
            return Response(members: success(in: journey.realm, token: nil))
        case .signIn(needsNoSession: false):
            // A tree that has not authenticated the user of the session neither renews the session nor begins another in its place.
            if state.methods.isEmpty, name == journey.sessionUsername {
                guard current != nil else { throw .timedOut }
                return Response(members: success(in: journey.realm, token: journey.sessionToken))
            }
            // The new session replaces the one from before.
            if current != nil { sessions.end(journey.sessionToken) }
            let (_, token) = sessions.begin(
                for: user,
                realm: journey.realm,
                tree: journey.name,
                authenticationMethods: state.methods.count > 1 ? state.methods + ["mfa"] : state.methods
            )
            return Response(members: success(in: journey.realm, token: token), newToken: token)
        }
    }

    /// Returns the members of the response with a success.
    private func success(in realm: String, token: String?) -> [String: JsonValue] {
        var members: [String: JsonValue] = ["successUrl": .string(context.issuer + "/"), "realm": .string(realm)]
        members["tokenId"] = token.map { .string($0) }
        return members
    }
}

extension Journeys.Pending {
    /// Stores the parameters of the request that continues the tree. Each request can demand that a success begins no session.
    fileprivate mutating func apply(_ request: JourneyRequest) {
        run.state.query = request.query
        if case .signIn = purpose, request.needsNoSession { purpose = .signIn(needsNoSession: true) }
    }
}
