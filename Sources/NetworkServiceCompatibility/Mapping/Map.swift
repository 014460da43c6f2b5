/// The JSON object that a ``Mappable`` value is read from or written to.
public final class Map {
    /// A member of the object.
    public struct Member {
        fileprivate let map: Map
        fileprivate let key: String
    }

    fileprivate let isReading: Bool
    /// The members that are read, or that have been written so far.
    fileprivate(set) var members: [String: Any]

    /// Creates an object that values are read from.
    init(reading members: [String: Any]) {
        isReading = true
        self.members = members
    }

    /// Creates an empty object that values are written to.
    init() {
        isReading = false
        members = [:]
    }

    /// Returns the member with a key, for the operator `<-`.
    public subscript(key: String) -> Member { Member(map: self, key: key) }
}

infix operator <-

/// Reads a value from a member of a JSON object, or writes it there.
///
/// If the member is missing or has another type, the value remains unchanged.
///
/// - Parameters:
///   - value: A string, a number, a Boolean value, a ``Mappable`` value, or an array or dictionary of these. Elements of another
///     type are omitted.
///   - member: The member, such as `map["name"]`.
public func <- <Value>(value: inout Value, member: Map.Member) {
    if member.map.isReading {
        if let new = member.read(as: Value.self) { value = new }
    } else {
        member.write(value)
    }
}

/// Reads an optional value from a member of a JSON object, or writes it there unless it is `nil`.
///
/// If the member is missing, the value remains unchanged. If the member is null or has another type, the value becomes `nil`.
public func <- <Value>(value: inout Value?, member: Map.Member) {
    if member.map.isReading {
        if member.exists { value = member.read(as: Value.self) }
    } else if let value {
        member.write(value)
    }
}

extension Map.Member {
    fileprivate var exists: Bool { map.members[key] != nil }

    fileprivate func read<Value>(as type: Value.Type) -> Value? {
        map.members[key].flatMap { MappedValue.read($0, as: type) }
    }

    fileprivate func write(_ value: Any) { map.members[key] = MappedValue.json(of: value) }
}

/// Conversions between the values of members and JSON.
private enum MappedValue {
    static func read<Value>(_ json: Any, as type: Value.Type) -> Value? {
        if let model = type as? any Mappable.Type {
            return (json as? [String: Any]).flatMap { model.init(JSON: $0) } as? Value
        }
        if let collection = type as? any MappedCollection.Type { return collection.read(json) as? Value }
        return json as? Value
    }

    static func json(of value: Any) -> Any {
        switch value {
        case let model as any Mappable: model.toJSON()
        case let collection as any MappedCollection: collection.json
        default: value
        }
    }
}

/// An array or dictionary with elements that can be ``Mappable``.
private protocol MappedCollection {
    /// Returns a collection of the elements that have the right type; `nil` if the JSON is no collection of this kind.
    static func read(_ json: Any) -> Any?

    var json: Any { get }
}

extension Array: MappedCollection {
    fileprivate static func read(_ json: Any) -> Any? {
        (json as? [Any])?.compactMap { MappedValue.read($0, as: Element.self) }
    }

    fileprivate var json: Any { map(MappedValue.json(of:)) }
}

extension Dictionary: MappedCollection where Key == String {
    fileprivate static func read(_ json: Any) -> Any? {
        (json as? [String: Any])?.compactMapValues { MappedValue.read($0, as: Value.self) }
    }

    fileprivate var json: Any { mapValues(MappedValue.json(of:)) }
}
