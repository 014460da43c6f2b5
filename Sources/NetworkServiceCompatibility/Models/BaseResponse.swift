/// A response that consists of a status and data.
public protocol NetworkServiceBaseResponse: Mappable {
    /// The type of the status.
    associatedtype U: Mappable

    /// The type of the data.
    associatedtype V: Mappable

    /// The status of the response.
    var status: U? { get set }

    /// The data of the response.
    var data: V? { get set }
}

/// The response to a call, an object with the members `status` and `body`.
///
/// ```swift
/// print(response.data?.name ?? response.status?.message ?? "no message")
/// ```
public struct BaseResponse<T: BaseModel>: NetworkServiceBaseResponse {
    /// The type of the status.
    public typealias U = ServiceResponseStatus

    /// The type of the model.
    public typealias V = T

    /// The status of the call according to the server.
    public var status: U?

    /// The model; `nil` if the server sent none, as in most responses to unsuccessful calls.
    public var data: T?

    /// Creates an empty response.
    public init() {}

    /// Creates an empty response, which ``mapping(map:)`` then fills.
    public init?(map: Map) {}

    /// Connects the status with the key `status`, and the data with the key `body`.
    public mutating func mapping(map: Map) {
        status <- map["status"]
        data <- map["body"]
    }
}

/// The status of a response, successful or not, as the server describes it.
public struct ServiceResponseStatus: Mappable {
    /// The message of the server.
    public var message: String?

    /// The server's own code.
    public var code: String?

    /// The time of the response in the server's format.
    public var responseTimeStamp: String?

    /// Creates an empty status.
    public init() {}

    /// Creates an empty status, which ``mapping(map:)`` then fills.
    public init?(map: Map) {}

    /// Connects the members with the keys `message`, `code` and `responseTimeStamp`.
    public mutating func mapping(map: Map) {
        message <- map["message"]
        code <- map["code"]
        responseTimeStamp <- map["responseTimeStamp"]
    }
}
