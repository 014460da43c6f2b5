/// A type that is read from a JSON object and written to one.
///
/// ```swift
/// struct Point: Mappable {
///     var x = 0.0
///     var y = 0.0
///     init?(map: Map) {}
///     mutating func mapping(map: Map) {
///         x <- map["x"]
///         y <- map["y"]
///     }
/// }
/// ```
public protocol Mappable {
    /// Creates a value. Then ``mapping(map:)`` sets its members.
    ///
    /// - Parameter map: The object to read from.
    /// - Returns: `nil` if the object does not describe a value.
    init?(map: Map)

    /// Connects each member with its key, in both directions, by the operator `<-`.
    mutating func mapping(map: Map)
}

extension Mappable {
    /// Creates a value from a JSON object.
    ///
    /// - Parameter JSON: The members of the object, as `JSONSerialization` returns them.
    public init?(JSON: [String: Any]) {
        let map = Map(reading: JSON)
        self.init(map: map)
        mapping(map: map)
    }

    /// Returns the value as a JSON object. Members that are `nil` are omitted.
    public func toJSON() -> [String: Any] {
        let map = Map()
        var copy = self
        copy.mapping(map: map)
        return map.members
    }
}
