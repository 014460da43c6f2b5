import HTTPTypes

/// The headers that identify the SDK and its platform to a server.
///
/// ``HttpClient/request()`` returns a request that contains them. A header that the app sets itself is not replaced.
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.standardHeaders = StandardHeaders(requestedWith: "my-app")
/// }
/// ```
public struct StandardHeaders: Sendable, Hashable {
    /// The value of `x-requested-with`; `nil` to omit it.
    public var requestedWith: String?

    /// The value of `x-requested-platform`; `nil` to omit it.
    public var requestedPlatform: String?

    /// Creates the headers, by default with `sallyport-sdk` and the name of the operating system.
    public init(requestedWith: String? = "sallyport-sdk", requestedPlatform: String? = StandardHeaders.platform) {
        self.requestedWith = requestedWith
        self.requestedPlatform = requestedPlatform
    }

    /// The name of the operating system that the SDK was built for, in lower case.
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
    /// A new request with the headers.
    var newRequest: HttpRequest {
        var request = HttpRequest()
        add(to: &request)
        return request
    }

    /// Adds the headers that a request does not have yet, as the client does when it sends the request.
    package func add(to request: inout HttpRequest) {
        StandardHeadersInterceptor(self).add(to: &request)
    }
}

/// Adds the standard headers that a request does not have yet.
struct StandardHeadersInterceptor: MessageInterceptor {
    private let headers: HTTPFields
    private let problem: NetworkFailure?

    var traceName: String { "standard headers" }

    init(_ standard: StandardHeaders) {
        var template = HttpRequest()
        if let value = standard.requestedWith {
            template.setHeader(name: NetworkConstants.headerRequestedWith, value: value)
        }
        if let value = standard.requestedPlatform {
            template.setHeader(name: NetworkConstants.headerRequestedPlatform, value: value)
        }
        headers = template.fields
        problem = template.problems.first
    }

    func willSend(_ request: inout HttpRequest) throws {
        if let problem { throw NetworkError.invalidRequest(problem) }
        add(to: &request)
    }

    fileprivate func add(to request: inout HttpRequest) {
        if request.fields.isEmpty { return request.fields = headers }
        for field in headers where !request.fields.contains(field.name) { request.fields.append(field) }
    }
}
