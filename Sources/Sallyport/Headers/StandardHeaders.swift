import HTTPTypes

/// The headers that tell a server which SDK calls it, and from which platform.
///
/// A header that the app sets itself is left as it is.
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.standardHeaders = StandardHeaders(requestedWith: "my-app")
/// }
/// ```
public struct StandardHeaders: Sendable, Hashable {
    /// The value of `x-requested-with`; `nil` leaves it out.
    public var requestedWith: String?

    /// The value of `x-requested-platform`; `nil` leaves it out.
    public var requestedPlatform: String?

    /// Makes the pair of headers, by default `sallyport-sdk` and the name of the operating system.
    public init(requestedWith: String? = "sallyport-sdk", requestedPlatform: String? = StandardHeaders.platform) {
        self.requestedWith = requestedWith
        self.requestedPlatform = requestedPlatform
    }

    /// The operating system that this was built for, in lower case.
    public static var platform: String {
        #if os(iOS)
        "ios"
        #elseif os(macOS)
        "macos"
        #elseif os(tvOS)
        "tvos"
        #elseif os(watchOS)
        "watchos"
        #elseif os(visionOS)
        "visionos"
        #elseif os(Linux)
        "linux"
        #else
        "other"
        #endif
    }
}

extension StandardHeaders {
    /// Adds those that a request does not have yet, as its call does.
    package func add(to request: inout HttpRequest) {
        StandardHeadersInterceptor(self).add(to: &request)
    }
}
