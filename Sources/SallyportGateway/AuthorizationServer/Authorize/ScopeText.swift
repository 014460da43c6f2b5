/// Words for scopes, for the person who is asked.
enum ScopeText {
    static func described(_ scope: String) -> (name: String, description: String) {
        (scope, texts[scope] ?? "Use \(scope)")
    }

    private static let texts = [
        "openid": "Know that it is you",
        "profile": "See your name",
        "email": "See your e-mail address",
        "offline_access": "Stay connected while you are away",
        "api": "Call the protected API for you",
    ]
}
