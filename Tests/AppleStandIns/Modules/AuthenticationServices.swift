// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Foundation

public class ASPresentationAnchor {}

@MainActor
public protocol ASWebAuthenticationPresentationContextProviding: AnyObject {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Sendable {
        case canceledLogin
        case presentationContextNotProvided
        case presentationContextInvalid
    }

    public var code: Code { fatalError() }
}

public class ASWebAuthenticationSession {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) { fatalError() }

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false

    public func start() -> Bool { fatalError() }
    public func cancel() {}
}
