// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of Alamofire 5.10.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif

public let AF = Session.default

public protocol URLConvertible: Sendable {}
extension String: URLConvertible {}
extension URL: URLConvertible {}

public struct HTTPMethod: Sendable, Hashable {
    public static let get = HTTPMethod()
    public static let post = HTTPMethod()
    public static let put = HTTPMethod()
}

public struct HTTPHeader: Sendable, Hashable {
    public static func authorization(bearerToken: String) -> HTTPHeader { fatalError() }
    public static func acceptLanguage(_ value: String) -> HTTPHeader { fatalError() }
}

public struct HTTPHeaders: Sendable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: HTTPHeader...) {}
    public init(dictionaryLiteral elements: (String, String)...) {}
    public mutating func add(_ header: HTTPHeader) {}
    public mutating func add(name: String, value: String) {}
}

extension URLRequest {
    public var headers: HTTPHeaders {
        get { fatalError() }
        set {}
    }
}

public protocol ParameterEncoder: Sendable {}

open class JSONParameterEncoder: @unchecked Sendable, ParameterEncoder {
    public static var `default`: JSONParameterEncoder { fatalError() }
}

open class URLEncodedFormParameterEncoder: @unchecked Sendable, ParameterEncoder {
    public static var `default`: URLEncodedFormParameterEncoder { fatalError() }
}

public enum AFError: Error, Sendable {
    public enum ResponseValidationFailureReason: Sendable {
        case unacceptableStatusCode(code: Int)
    }

    case responseValidationFailed(reason: ResponseValidationFailureReason)
    case sessionTaskFailed(error: any Error)
    case explicitlyCancelled

    public var responseCode: Int? { fatalError() }
}

public struct DataResponse<Success: Sendable, Failure: Error>: Sendable {
    public var response: HTTPURLResponse? { fatalError() }
    public var data: Data? { fatalError() }
    public var result: Result<Success, Failure> { fatalError() }
    public var value: Success? { fatalError() }
    public var error: Failure? { fatalError() }
}

public typealias AFDataResponse<Success: Sendable> = DataResponse<Success, AFError>

public struct DataTask<Value: Sendable>: Sendable {
    public var response: DataResponse<Value, AFError> { get async { fatalError() } }
    public var result: Result<Value, AFError> { get async { fatalError() } }
    public var value: Value { get async throws { fatalError() } }
}

public struct DownloadTask<Value: Sendable>: Sendable {
    public var value: Value { get async throws { fatalError() } }
}

open class Request: @unchecked Sendable {
    public var retryCount: Int { fatalError() }
    public var response: HTTPURLResponse? { fatalError() }

    @discardableResult
    open func cancel() -> Self { fatalError() }

    @discardableResult
    open func uploadProgress(
        queue: DispatchQueue = .main,
        closure: @escaping @Sendable (Progress) -> Void
    ) -> Self { fatalError() }

    @discardableResult
    open func downloadProgress(
        queue: DispatchQueue = .main,
        closure: @escaping @Sendable (Progress) -> Void
    ) -> Self { fatalError() }
}

open class DataRequest: Request, @unchecked Sendable {
    @discardableResult
    public func validate() -> Self { fatalError() }

    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (AFDataResponse<Value>) -> Void
    ) -> Self { fatalError() }

    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true
    ) -> DataTask<Value> { fatalError() }

    public func serializingData(automaticallyCancelling shouldAutomaticallyCancel: Bool = true) -> DataTask<Data> {
        fatalError()
    }
}

open class UploadRequest: DataRequest, @unchecked Sendable {}

open class DownloadRequest: Request, @unchecked Sendable {
    public struct Options: OptionSet, Sendable {
        public static let createIntermediateDirectories = Options(rawValue: 1)
        public static let removePreviousFile = Options(rawValue: 2)
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }

    public typealias Destination =
        @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: Options)

    @discardableResult
    public func validate() -> Self { fatalError() }

    public func serializingDownloadedFileURL(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true
    ) -> DownloadTask<URL> { fatalError() }
}

open class MultipartFormData {
    public func append(_ data: Data, withName name: String) {}
    public func append(_ fileURL: URL, withName name: String) {}
}

public enum RetryResult: Sendable {
    case retry
    case retryWithDelay(TimeInterval)
    case doNotRetry
    case doNotRetryWithError(any Error)
}

public protocol RequestAdapter: Sendable {
    func adapt(
        _ urlRequest: URLRequest,
        for session: Session,
        completion: @escaping @Sendable (_ result: Result<URLRequest, any Error>) -> Void
    )
}

public protocol RequestRetrier: Sendable {
    func retry(
        _ request: Request,
        for session: Session,
        dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    )
}

public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    public func adapt(
        _ urlRequest: URLRequest,
        for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {}

    public func retry(
        _ request: Request,
        for session: Session,
        dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {}
}

open class RetryPolicy: @unchecked Sendable, RequestInterceptor {
    public init(retryLimit: UInt = 2) {}
}

public protocol ServerTrustEvaluating: Sendable {}

public final class PublicKeysTrustEvaluator: ServerTrustEvaluating {
    public init(performDefaultValidation: Bool = true, validateHost: Bool = true) {}
}

open class ServerTrustManager: @unchecked Sendable {
    public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]) {}
}

open class Session: @unchecked Sendable {
    public static let `default` = Session()

    public init(
        configuration: URLSessionConfiguration = .default,
        interceptor: (any RequestInterceptor)? = nil,
        serverTrustManager: ServerTrustManager? = nil
    ) {}

    open func request<Parameters: Encodable & Sendable>(
        _ convertible: any URLConvertible,
        method: HTTPMethod = .get,
        parameters: Parameters? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil
    ) -> DataRequest { fatalError() }

    open func request(
        _ convertible: any URLConvertible,
        method: HTTPMethod = .get,
        parameters: [String: any Sendable]? = nil,
        headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil
    ) -> DataRequest { fatalError() }

    open func upload(
        multipartFormData: @escaping (MultipartFormData) -> Void,
        to url: any URLConvertible,
        method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil
    ) -> UploadRequest { fatalError() }

    open func download(
        _ convertible: any URLConvertible,
        method: HTTPMethod = .get,
        headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest { fatalError() }
}
