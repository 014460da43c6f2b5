import Sallyport

/// The action types of requests to authentication trees, and of requests that end a session.
extension ActionType {
    /// The first request to an authentication tree.
    public static let startAuthenticate: Self = "START_AUTHENTICATE"
    /// The request that resumes a suspended authentication tree, for example after the user has opened a link in an email.
    public static let resumeAuthenticate: Self = "RESUME_AUTHENTICATE"
    /// A request with the user's input for a step of an authentication tree.
    public static let authenticate: Self = "AUTHENTICATE"
    /// A request that ends the session.
    public static let logout: Self = "LOGOUT"
}

/// The action types of push authentication.
extension ActionType {
    /// A request that registers a device for push notifications.
    public static let pushRegister: Self = "PUSH_REGISTER"
    /// The response of a device to a push notification.
    public static let pushAuthenticate: Self = "PUSH_AUTHENTICATE"
    /// A request that updates a device's registration for push notifications.
    public static let pushUpdate: Self = "PUSH_UPDATE"
}
