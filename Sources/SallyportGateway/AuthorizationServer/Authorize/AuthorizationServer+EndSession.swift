import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// The subject of the form that confirms a logout.
    static let endSessionSubject = "end_session"

    /// Ends a browser's session, or that of an id_token (OpenID Connect RP-Initiated Logout 1.0, section 2).
    ///
    /// A request without an id_token of the browser's user can come from any web page, so the user is asked first. The browser
    /// is sent back only to an address that the client has registered.
    func endSession(_ parameters: FormParameters, cookie: String?) async -> AuthorizationStep {
        var hint: [String: JsonValue]?
        if let token = parameters["id_token_hint"] {
            hint = await ownClaims(token)
            guard hint != nil else {
                return Self.stillSignedIn("The id_token_hint is not a token of this server.")
            }
        }
        let hinted = hint?["aud"]?.string
        let named = parameters["client_id"]
        guard hinted == nil || named == nil || hinted == named else {
            return Self.stillSignedIn("The id_token_hint is another client's.")
        }
        let client = (hinted ?? named).flatMap(client)
        var target: String?
        if let uri = parameters["post_logout_redirect_uri"] {
            guard let client, RedirectURI.matches(uri, oneOf: client.metadata.postLogoutRedirectURIs) else {
                return Self.stillSignedIn(
                    "The program wants you to be sent to an address that is not registered."
                )
            }
            target = RedirectURI.adding([("state", parameters["state"])], to: uri)
        }
        if let session = session(cookie), session.user.subject != hint?["sub"]?.string,
            !formKey.accepts(parameters["csrf"], for: Self.endSessionSubject, cookie: cookie)
        {
            var fields = parameters.values(except: ["id_token_hint", "csrf"])
            fields["client_id"] = client?.id
            return .endSession(
                AuthorizationForm(
                    subject: Self.endSessionSubject,
                    clientName: client?.name ?? "",
                    destination: target.map(RedirectURI.source)
                ),
                username: session.user.username,
                fields: fields.filter { Self.endSessionParameters.contains($0.key) }
            )
        }
        if let cookie { sessions.remove(SecretHash(cookie)) }
        if let id = hint?["sid"]?.string { sessions.removeAll { $0.id == id } }
        if let target { return .redirect(target) }
        return .message(title: "You are signed out", text: "You can close this page.", isProblem: false)
    }

    /// The parameters that the confirmation is sent with.
    private static let endSessionParameters: Set = ["client_id", "post_logout_redirect_uri", "state"]

    private static func stillSignedIn(_ reason: String) -> AuthorizationStep {
        .message(title: "You are still signed in", text: reason)
    }
}
