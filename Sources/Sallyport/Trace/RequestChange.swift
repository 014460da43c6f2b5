/// One thing that a stage changed of a request. Secrets in it are masked.
public struct RequestChange: Sendable, Hashable {
    /// The parts of a request.
    public enum Part: String, Sendable, Hashable {
        /// The method.
        case method
        /// The URL without its query.
        case url
        /// A parameter of the query, with or without ``HttpRequest/setParameter(name:value:)``.
        case query
        /// A header.
        case header
        /// A cookie of the `Cookie` header.
        case cookie
        /// The body, of which the type and the size are told.
        case body
        /// A limit of time.
        case timeout
    }

    /// What can become of a part.
    public enum Kind: String, Sendable, Hashable {
        /// It was not there before.
        case added = "+"
        /// It is not there any more.
        case removed = "-"
        /// It is another.
        case replaced = "~"
    }

    /// The part that was changed.
    public let part: Part

    /// The name of a parameter, header, cookie or limit; `nil` for parts of which there is only one.
    public let name: String?

    /// What was there before; `nil` for nothing.
    public let old: String?

    /// What is there now; `nil` for nothing.
    public let new: String?

    /// What became of the part.
    public var kind: Kind { old == nil ? .added : new == nil ? .removed : .replaced }
}

extension RequestChange: CustomStringConvertible {
    /// The change as a line of a diff, such as `+ header Accept: */*` or `~ method GET -> POST`.
    public var description: String {
        let place = name.map { "\(part.rawValue) \($0)\(separator)" } ?? "\(part.rawValue) "
        return "\(kind.rawValue) \(place)" + [old, new].compactMap(\.self).joined(separator: " -> ")
    }

    private var separator: String {
        part == .query || part == .cookie ? "=" : ": "
    }
}
