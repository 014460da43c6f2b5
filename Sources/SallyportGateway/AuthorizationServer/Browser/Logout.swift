import Foundation
import SallyportJOSE

/// Ends browser sessions at the request of a client (OpenID Connect RP-Initiated Logout 1.0).
final class Logout {
    /// The subject of the form that confirms a logout.
    private static let formSubject = "end_session"
    /// The parameters that the form repeats.
    private static let repeatedParameters: Set = ["client_id", "post_logout_redirect_uri", "state"]

    private let context: ServerContext
    private let clients: ClientRegistry
    private let sessions: UserSessions
    private let signer: TokenSigner
    private let formKey: FormKey

    init(
        _ context: ServerContext,
        clients: ClientRegistry,
        sessions: UserSessions,
        signer: TokenSigner,
        formKey: FormKey
    ) {
        self.context = context
        self.clients = clients
        self.sessions = sessions
        self.signer = signer
        self.formKey = formKey
    }

    /// Ends the session of a browser, and the session of the id_token in `id_token_hint`.
    ///
    /// Any web page can cause a request without an id_token of the browser's user, so the user must confirm such a request. The browser is
    /// redirected only to a URI that the client has registered.
    nonisolated(nonsending) func endSession(
        _ parameters: FormParameters,
        cookie: String?
    ) async -> AuthorizationStep {
        var hint: [String: JsonValue]?
        if let token = parameters["id_token_hint"] {
            hint = await signer.verifiedClaims(token)
            guard hint != nil else {
                return Self.stillSignedIn("The id_token_hint is not a token of this server.")
            }
        }
        let hintedID = hint?["aud"]?.string
        let namedID = parameters["client_id"]
        guard hintedID == nil || namedID == nil || hintedID == namedID else {
            return Self.stillSignedIn("The id_token_hint belongs to another client.")
        }
        let client = (hintedID ?? namedID).flatMap(clients.client)
        var target: String?
        if let uri = parameters["post_logout_redirect_uri"] {
            guard let client, RedirectURI.matches(uri, oneOf: client.metadata.postLogoutRedirectURIs) else {
                return Self.stillSignedIn("The app wants to send you to an address that it has not registered.")
            }
            target = RedirectURI.adding([("state", parameters["state"])], to: uri)
        }
        // The browser has one session, which can be of any realm.
        if let session = sessions.session(cookie, in: nil), session.user.subject != hint?["sub"]?.string,
            !formKey.accepts(parameters["csrf"], for: Self.formSubject, cookie: cookie)
        {
            var fields = parameters.values(except: ["id_token_hint", "csrf"])
            fields["client_id"] = client?.id
            let form = AuthorizationForm(
                subject: Self.formSubject,
                clientName: client?.name ?? "",
                destination: target.map(RedirectURI.source)
            )
            let repeated = fields.filter { Self.repeatedParameters.contains($0.key) }
            return .endSession(form, username: session.user.username, fields: repeated)
        }
        sessions.end(cookie)
        if let id = hint?["sid"]?.string { sessions.end(id: id) }
        if let target { return .redirect(target) }
        return .message(title: "You are signed out", text: "You can close this page.", isProblem: false)
    }

    private static func stillSignedIn(_ reason: String) -> AuthorizationStep {
        .message(title: "You are still signed in", text: reason)
    }
}
