import Foundation

/// The most frequently used names of header fields and media types.
///
/// ```swift
/// request.setHeader(name: NetworkConstants.headerAccept, value: NetworkConstants.contentTypeJSON)
/// ```
public enum NetworkConstants {
    /// The version of the SDK and of the command.
    package static let sdkVersion = "0.1.0"

    /// `Accept`.
    public static let headerAccept = "Accept"
    /// `Authorization`.
    public static let headerAuthorization = "Authorization"
    /// `Content-Type`.
    public static let headerContentType = "Content-Type"
    /// `Cookie`.
    public static let headerCookie = "Cookie"
    /// `Idempotency-Key`; see ``RetryPolicy/addsIdempotencyKey``.
    public static let headerIdempotencyKey = "Idempotency-Key"
    /// `Location`.
    public static let headerLocation = "Location"
    /// `Set-Cookie`.
    public static let headerSetCookie = "Set-Cookie"
    /// `User-Agent`.
    public static let headerUserAgent = "User-Agent"
    /// `x-requested-with`; see ``StandardHeaders``.
    public static let headerRequestedWith = "x-requested-with"
    /// `x-requested-platform`; see ``StandardHeaders``.
    public static let headerRequestedPlatform = "x-requested-platform"

    /// `application/json`.
    public static let contentTypeJSON = "application/json"
    /// `application/x-www-form-urlencoded`.
    public static let contentTypeForm = "application/x-www-form-urlencoded"
    /// `multipart/form-data`, without its boundary parameter.
    public static let contentTypeMultipart = "multipart/form-data"
    /// `text/plain`.
    public static let contentTypeText = "text/plain"
    /// `application/octet-stream`.
    public static let contentTypeBinary = "application/octet-stream"
    /// `text/event-stream`; see ``ServerSentEvent``.
    public static let contentTypeEventStream = "text/event-stream"

    /// The default timeout of a call, in seconds.
    public static let defaultTimeout: TimeInterval = 15
}
