/// What a request of the SDK's own is for: the kind of operation, and what it is about (seed "Intercept and modify REST calls").
///
/// Requests that the app makes itself have none.
///
/// ```swift
/// if action.type == .startAuthenticate, action.payload?["tree"] == "Login" { … }
/// ```
public struct Action: Sendable, Equatable {
    /// The kind of operation.
    public let type: ActionType

    /// What it is about; `tree` and `type` for START_AUTHENTICATE and AUTHENTICATE, nothing for all others.
    public let payload: [String: String]?

    /// Makes an action.
    ///
    /// - Parameters:
    ///   - type: The kind of operation.
    ///   - payload: What it is about.
    public init(_ type: ActionType, payload: [String: String]? = nil) {
        self.type = type
        self.payload = payload
    }
}
