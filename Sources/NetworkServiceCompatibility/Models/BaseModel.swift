/// The base class of the models in requests and responses.
///
/// ```swift
/// class User: BaseModel {
///     var name: String?
///
///     override func mapping(map: Map) {
///         name <- map["name"]
///     }
/// }
/// ```
open class BaseModel: Mappable {
    /// Creates a model with its default values.
    public init() {}

    /// Creates a model with its default values, for those that the response contains to replace.
    public required init?(map: Map) {}

    /// Connects each member with its key; the base class has none.
    open func mapping(map: Map) {}
}
