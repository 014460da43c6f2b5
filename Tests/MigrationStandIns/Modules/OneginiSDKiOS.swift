// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of the OneWelcome (Onegini) SDK for iOS.
@_exported import Foundation

public enum HTTPMethod {
    case get, post, put, patch, head, delete
}

public enum ParametersEncoding {
    case JSON, formURL
}

public protocol ResourceRequest {}

public protocol ResourceResponse {
    var statusCode: Int { get }
    var data: Data? { get }
}

public protocol NetworkTask {
    func cancel()
}

public struct MultipartData {
    public init(data: Data, name: String, fileName: String, mimeType: String) {}
}

public enum ResourceRequestFactory {
    public static func makeResourceRequest(
        path: String,
        method: HTTPMethod = .get,
        parameters: [String: Any]? = nil,
        body: Data? = nil,
        headers: [String: String]? = nil,
        parametersEncoding: ParametersEncoding = .JSON
    ) -> ResourceRequest { fatalError() }

    public static func makeMultipartResourceRequest(
        path: String,
        method: HTTPMethod,
        parameters: [String: Any]?,
        multipartData: [MultipartData]
    ) -> ResourceRequest { fatalError() }
}

public protocol UserClient {
    @discardableResult
    func sendAuthenticatedRequest(
        _ resourceRequest: ResourceRequest,
        completion: @escaping ((ResourceResponse?, Error?) -> Void)
    ) -> NetworkTask?

    @discardableResult
    func sendImplicitRequest(
        _ resourceRequest: ResourceRequest,
        completion: @escaping ((ResourceResponse?, Error?) -> Void)
    ) -> NetworkTask?
}

public protocol DeviceClient {
    @discardableResult
    func sendAuthenticatedRequest(
        _ resourceRequest: ResourceRequest,
        completion: @escaping ((ResourceResponse?, Error?) -> Void)
    ) -> NetworkTask?

    @discardableResult
    func sendUnauthenticatedRequest(
        _ resourceRequest: ResourceRequest,
        completion: @escaping ((ResourceResponse?, Error?) -> Void)
    ) -> NetworkTask?
}

public enum SharedUserClient {
    public static var instance: UserClient { fatalError() }
}

public enum SharedDeviceClient {
    public static var instance: DeviceClient { fatalError() }
}

public let ONGGenericErrorDomain = ""
public let ONGFetchResourceErrorDomain = ""

public enum ONGFetchResourceError: Int {
    case userNotAuthenticated
}
