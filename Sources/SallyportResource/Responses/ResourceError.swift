import Foundation
import Sallyport
import SallyportOAuth

/// The failure of a resource call, or of the configuration, the registration or the authentication for it.
///
/// ``code`` is the number that apps know, and ``reason`` states the same as a case. If the server responded, ``response`` is its complete
/// response: a status other than 200 to 299 is a failure.
///
/// ```swift
/// do {
///     let response = try await client.userClient.sendAuthenticatedRequest(request)
/// } catch {
///     switch error.code {
///     case .userNotAuthenticated: signIn()
///     case NSURLErrorCancelled: break  // the same as .cancelled
///     default: print(error, error.response?.statusCode ?? 0)
///     }
/// }
/// ```
///
/// ``nsError`` has ``domain`` and ``errorCode``, and on Apple platforms so has `error as NSError`. Objective-C is not supported otherwise.
public struct ResourceError: Error, Sendable {
    /// The reason.
    public let reason: Reason

    /// The description of the failure, with advice.
    public let failure: NetworkFailure

    /// The kind of call that failed; `nil` for the configuration.
    public internal(set) var call: ResourceCall?

    /// The response of the server, if there was one.
    public internal(set) var response: ResourceResponse?

    /// The underlying error: a `NetworkError`, a ``DeviceIdentityError`` or an ``IntegrityError``.
    public var underlying: (any Error)? { failure.underlying }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - failure: The description of the failure.
    ///   - call: The kind of call that failed.
    ///   - response: The response of the server, if there was one.
    public init(
        _ reason: Reason,
        _ failure: NetworkFailure,
        of call: ResourceCall? = nil,
        response: ResourceResponse? = nil
    ) {
        self.reason = reason
        self.failure = failure
        self.call = call
        self.response = response
    }
}

extension ResourceError {
    /// The reason of a failure. 9000 to 9999 are for the user of your app, and 10000 and above for its developer.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// No network is available (9000).
        case noConnectivity
        /// The server cannot be reached, or did not respond in time (9001).
        case serverUnreachable
        /// The server has deregistered the device (9002).
        case deviceDeregistered
        /// The user is not registered on this device, or not any more (9003).
        case userDeregistered
        /// The server no longer accepts this app version (9004).
        case outdatedApp
        /// The server no longer accepts this version of the operating system (9005).
        case outdatedSystem
        /// The call was cancelled (9006).
        case cancelled
        /// The device is not registered (9008). Nothing was sent.
        case deviceNotRegistered
        /// The server does not accept the app, or refuses the authentication of the device (9008).
        case deviceNotValid
        /// The user is not authenticated (9010).
        case userNotAuthenticated
        /// The stored data cannot be used any more (9025).
        case unrecoverable
        /// The user is not implicitly authenticated (9026).
        case userNotImplicitlyAuthenticated
        /// The server refused the credentials of the device. The device's date differs from the server's by more than a minute (9031).
        case badDate
        /// Another failure (10000).
        case unknown
        /// The configuration is invalid (10001).
        case invalidConfiguration
        /// The SDK has not been configured (10001).
        case notConfigured
        /// The method is not supported, or a multipart request does not have the method POST (10010).
        case invalidMethod
        /// The device is not authenticated (10012).
        case deviceNotAuthenticated
        /// The request is invalid (10015). Nothing was sent, unless the server redirected the request.
        case invalidRequest
        /// A header is invalid, or is one that the SDK sets (10019). Nothing was sent.
        case invalidHeaders
        /// A check of the device's integrity failed (10024). Nothing was sent.
        case deviceIntegrity
        /// The server presented a certificate that is not trusted or does not match the pins (`NSURLErrorServerCertificateUntrusted`).
        /// Nothing was sent, except as described at ``ResourceClient``.
        case certificateRefused
        /// The connection could not be secured (`NSURLErrorSecureConnectionFailed`). Nothing was sent.
        case tlsFailed
        /// The connection was lost (`NSURLErrorNetworkConnectionLost`).
        case connectionLost
        /// The server responded with a status other than 200 to 299 (`NSURLErrorBadServerResponse`).
        case status
        /// The response cannot be used, for example because it is not valid HTTP, too large, or not encrypted as required
        /// (`NSURLErrorCannotParseResponse`).
        case invalidResponse
    }

    /// The number of an error.
    ///
    /// Numbers can be matched in a `switch`, with these constants or as integers. `NSURLErrorCancelled` matches
    /// ``cancelled``.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number.
        public let rawValue: Int

        /// Creates a code from its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        private init(_ number: Int) { rawValue = number }

        /// No network is available.
        public static let noConnectivity = Code(9000)
        /// The server cannot be reached, or did not respond in time.
        public static let serverUnreachable = Code(9001)
        /// The server has deregistered the device.
        public static let deviceDeregistered = Code(9002)
        /// The user is not registered on this device, or not any more.
        public static let userDeregistered = Code(9003)
        /// The server no longer accepts this app version.
        public static let outdatedApp = Code(9004)
        /// The server no longer accepts this version of the operating system.
        public static let outdatedSystem = Code(9005)
        /// The call was cancelled.
        public static let cancelled = Code(9006)
        /// The device is not registered, or the server does not accept its registration.
        public static let deviceRegistration = Code(9008)
        /// The user is not authenticated.
        public static let userNotAuthenticated = Code(9010)
        /// The stored data cannot be used any more.
        public static let unrecoverable = Code(9025)
        /// The user is not implicitly authenticated.
        public static let userNotImplicitlyAuthenticated = Code(9026)
        /// The date of the device differs from the server's.
        public static let badDate = Code(9031)
        /// Another failure.
        public static let unknown = Code(10000)
        /// The configuration is invalid or missing.
        public static let configuration = Code(10001)
        /// The method is not supported.
        public static let invalidMethod = Code(10010)
        /// The device is not authenticated.
        public static let deviceNotAuthenticated = Code(10012)
        /// The request is invalid.
        public static let invalidRequest = Code(10015)
        /// A header is invalid or reserved.
        public static let invalidHeaders = Code(10019)
        /// A check of the device's integrity failed.
        public static let deviceIntegrity = Code(10024)

        /// The number as text.
        public var description: String { "\(rawValue)" }

        /// Returns a Boolean value that indicates whether a code has a number.
        public static func ~= (number: Int, code: Code) -> Bool {
            number == code.rawValue || (number == NSURLErrorCancelled && code == .cancelled)
        }
    }

    /// The number of the error.
    public var code: Code { reason.code }
}

extension ResourceError.Reason {
    /// The number of the reason.
    public var code: ResourceError.Code {
        switch self {
        case .noConnectivity: .noConnectivity
        case .serverUnreachable: .serverUnreachable
        case .deviceDeregistered: .deviceDeregistered
        case .userDeregistered: .userDeregistered
        case .outdatedApp: .outdatedApp
        case .outdatedSystem: .outdatedSystem
        case .cancelled: .cancelled
        case .deviceNotRegistered, .deviceNotValid: .deviceRegistration
        case .userNotAuthenticated: .userNotAuthenticated
        case .unrecoverable: .unrecoverable
        case .userNotImplicitlyAuthenticated: .userNotImplicitlyAuthenticated
        case .badDate: .badDate
        case .unknown: .unknown
        case .invalidConfiguration, .notConfigured: .configuration
        case .invalidMethod: .invalidMethod
        case .deviceNotAuthenticated: .deviceNotAuthenticated
        case .invalidRequest: .invalidRequest
        case .invalidHeaders: .invalidHeaders
        case .deviceIntegrity: .deviceIntegrity
        case .certificateRefused: .init(rawValue: NSURLErrorServerCertificateUntrusted)
        case .tlsFailed: .init(rawValue: NSURLErrorSecureConnectionFailed)
        case .connectionLost: .init(rawValue: NSURLErrorNetworkConnectionLost)
        case .status: .init(rawValue: NSURLErrorBadServerResponse)
        case .invalidResponse: .init(rawValue: NSURLErrorCannotParseResponse)
        }
    }
}

extension ResourceError: CustomNSError, LocalizedError, CustomStringConvertible, CustomReflectable {
    /// The domain of errors that any call can fail with.
    public static let errorDomain = "ONGGenericErrorDomain"

    /// The domain of the error: `NSURLErrorDomain` for failures of HTTP, the domain of the kind of call for failures that only some calls
    /// have, and otherwise ``errorDomain``.
    public var domain: String {
        switch reason {
        case .certificateRefused, .tlsFailed, .connectionLost, .status, .invalidResponse: NSURLErrorDomain
        case .userNotAuthenticated, .userNotImplicitlyAuthenticated, .deviceNotAuthenticated, .invalidMethod,
            .invalidHeaders:
            call?.errorDomain ?? Self.errorDomain
        default: Self.errorDomain
        }
    }

    // The requirement of `Error` from which Apple platforms take the domain of `error as NSError`. `CustomNSError` has one domain for each
    // type only, which Foundation on Linux always uses.
    // swift-format-ignore: NoLeadingUnderscores, AllPublicDeclarationsHaveDocumentation
    public var _domain: String { domain }

    /// The number of the error; see ``code``.
    public var errorCode: Int { code.rawValue }

    /// The error as Foundation's type, with its ``domain``.
    public var nsError: NSError { NSError(domain: domain, code: errorCode, userInfo: errorUserInfo) }

    /// The description and the underlying error, for `NSError`.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }

    /// The failure in one line, with its number.
    public var description: String {
        // The failure states the status itself if it is the reason.
        let status = reason == .status ? "" : response.map { " (status \($0.statusCode))" } ?? ""
        return "\(failure)\(status) [\(code)]"
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }

    /// A mirror of ``description``, without the response.
    public var customMirror: Mirror { Mirror(self, children: ["error": description], displayStyle: .struct) }
}

/// A kind of resource call.
public enum ResourceCall: String, Sendable, Hashable, CaseIterable {
    /// A call with the token of the user who has signed in.
    case authenticated = "user"
    /// A call with the token of a user who is registered on this device, without interaction.
    case implicit
    /// A call with the token of the device.
    case anonymous = "device"
    /// A call without a token.
    case unauthenticated = "none"

    /// The domain of the errors that only this kind of call has.
    public var errorDomain: String {
        switch self {
        case .authenticated: "ONGFetchResourceErrorDomain"
        case .implicit: "ONGFetchImplicitResourceErrorDomain"
        case .anonymous: "ONGFetchAnonymousResourceErrorDomain"
        case .unauthenticated: "ONGFetchUnauthenticatedResourceDomain"
        }
    }
}
