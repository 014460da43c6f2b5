import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Ends the session of a browser, or of an id_token (OpenID Connect RP-Initiated Logout). Only a client that is known by
    /// its id_token or its name can have the browser sent back, and only to where it is registered.
    func endSession(_ parameters: FormParameters, cookie: String?) async -> AuthorizationStep {
        var hint: [String: JsonValue]?
        if let token = parameters["id_token_hint"] {
            hint = await ownClaims(token)
            guard hint != nil else {
                return .message(
                    title: "You are still signed in",
                    text: "The id_token_hint is not a token of this server."
                )
            }
        }
        let hinted = hint?["aud"]?.string
        let named = parameters["client_id"]
        guard hinted == nil || named == nil || hinted == named else {
            return .message(title: "You are still signed in", text: "The id_token_hint is another client's.")
        }
        var target: String?
        if let uri = parameters["post_logout_redirect_uri"] {
            guard let client = (hinted ?? named).flatMap(client),
                RedirectURI.matches(uri, oneOf: client.metadata.postLogoutRedirectURIs)
            else {
                return .message(
                    title: "You are still signed in",
                    text: "The program wants you to be sent to an address that is not registered."
                )
            }
            target = RedirectURI.adding([("state", parameters["state"])], to: uri)
        }
        if let cookie { sessions.remove(SecretHash(cookie)) }
        if let id = hint?["sid"]?.string { sessions.removeAll { $0.id == id } }
        if let target { return .redirect(target) }
        return .message(title: "You are signed out", text: "You can close this page.", isProblem: false)
    }
}
