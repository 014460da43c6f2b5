import SallyportTransport

/// The purpose of a request that the SDK sends itself: a type of operation and its details.
///
/// Requests that the app makes have none, unless it sets ``HttpRequest/action``, so that interceptors receive them. Each module of the
/// SDK declares the types of its operations as static members of ``ActionType``.
///
/// ```swift
/// if action.type == "START_AUTHENTICATE", action.payload?["tree"] == "Login" { … }
/// let tree = action.payload?["tree"]?.string
///
/// request.action = Action("START_AUTHENTICATE", payload: ["tree": "Login"])
/// ```
public struct Action: Sendable, Equatable {
    /// The type of operation.
    public let type: ActionType

    /// Details of the operation: `tree` and `type` for START_AUTHENTICATE and AUTHENTICATE, only `type` for RESUME_AUTHENTICATE and the
    /// AUTHENTICATE requests after it, `nil` for all others.
    public let payload: [String: JsonValue]?

    /// Creates an action.
    ///
    /// - Parameters:
    ///   - type: The type of operation.
    ///   - payload: The details of the operation, such as `["tree": "Login", "retries": 2]`.
    public init(_ type: ActionType, payload: [String: JsonValue]? = nil) {
        self.type = type
        self.payload = payload
    }
}

/// A type of operation that the SDK sends a request for, identified by a name such as `REFRESH_TOKEN`.
///
/// A module declares its types as static members in an extension, and uses each with the requests for that operation:
///
/// ```swift
/// extension ActionType {
///     public static let refreshToken: Self = "REFRESH_TOKEN"
/// }
///
/// action.type == .refreshToken  // the same as action.type == "REFRESH_TOKEN"
/// ```
///
/// A request that carries its own credentials states that by ``HttpRequest/carriesOwnCredentials``, not by its type.
public struct ActionType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, such as `REFRESH_TOKEN`.
    public let rawValue: String

    /// Creates a type from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a type from its name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name.
    public var description: String { rawValue }
}
