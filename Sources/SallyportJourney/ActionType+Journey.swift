import Sallyport

/// The action types of authentication trees and sessions.
extension ActionType {
    /// The first call to an authentication tree.
    public static let startAuthenticate: Self = "START_AUTHENTICATE"
    /// The continuation of an authentication tree that was suspended until a link was opened.
    public static let resumeAuthenticate: Self = "RESUME_AUTHENTICATE"
    /// A further step of an authentication tree.
    public static let authenticate: Self = "AUTHENTICATE"
    /// The end of the session.
    public static let logout: Self = "LOGOUT"
}

/// The action types of push authentication.
extension ActionType {
    /// The registration of a device for push.
    public static let pushRegister: Self = "PUSH_REGISTER"
    /// The answer to a push message.
    public static let pushAuthenticate: Self = "PUSH_AUTHENTICATE"
    /// The renewal of a device's registration for push.
    public static let pushUpdate: Self = "PUSH_UPDATE"
}
