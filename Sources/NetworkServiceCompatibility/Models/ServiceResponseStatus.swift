/// The status of a response, successful or not, in the words of the server.
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
