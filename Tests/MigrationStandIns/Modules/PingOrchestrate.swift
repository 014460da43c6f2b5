// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of PingOrchestrate for iOS that seed 000 names.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif

public class Request {
    public enum Constants {
        public static let contentType = ""
        public static let authorization = ""
    }

    public enum ContentType: String {
        case json
    }

    public enum HTTPMethod: String {
        case get
        case post
    }

    public var urlRequest: URLRequest

    public init() { fatalError() }

    public func url(_ url: String) {}
    public func url(_ request: URLRequest) {}
    public func header(name: String, value: String) {}
    public func parameter(name: String, value: String) {}
    public func cookies(cookies: [HTTPCookie]) {}
    public func body(body: [String: Any]) {}
    public func form(formData: [String: String]) {}
    public func method(_ method: HTTPMethod) {}
    public func getMethod() -> String? { nil }
}

public struct Response {
    public var headers: [String: String]
}
