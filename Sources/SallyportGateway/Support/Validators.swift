import Foundation
import Hummingbird
import Sallyport

/// What tells one version of a resource from another, and the conditions of RFC 9110 that use it.
@available(macOS 14, iOS 17, tvOS 17, *)
struct Validators {
    /// A strong entity tag, with its quotes.
    let entityTag: String
    /// A whole number of seconds.
    let lastModified: Date
    /// Whether no two versions can have the same date, which the second version within a second has.
    var hasStrongDate = true

    var headers: HTTPFields {
        [.eTag: entityTag, .lastModified: HttpDate.text(lastModified)]
    }

    /// Whether the client's copy is still good. `If-None-Match` wins over `If-Modified-Since`.
    func isUnchanged(for request: Request) -> Bool {
        if let tags = request.headers[.ifNoneMatch] {
            return Self.namesWeakly(tags, entityTag)
        }
        guard let date = request.headers[.ifModifiedSince].flatMap({ HttpDate.parse($0) }) else { return false }
        return lastModified <= date
    }

    /// Whether a range may be answered: the client's earlier part is of this version, or it did not say.
    func allowsRange(for request: Request) -> Bool {
        guard let condition = request.headers[.ifRange] else { return true }
        return condition == entityTag || hasStrongDate && HttpDate.parse(condition) == lastModified
    }

    /// Whether the client asks for another version than this (RFC 9110, section 13.1).
    func isRefused(for request: Request) -> Bool {
        if let tags = request.headers[.ifMatch] { return !Self.names(tags, entityTag) }
        guard let date = request.headers[.ifUnmodifiedSince].flatMap({ HttpDate.parse($0) }) else { return false }
        return lastModified > date
    }

    /// Whether a list of entity tags, weak ones too, or `*`, names a version.
    static func namesWeakly(_ tags: String, _ entityTag: String) -> Bool {
        names(tags, entityTag) || names(tags, "W/\(entityTag)")
    }

    /// Whether a list of entity tags, or `*`, names a version.
    static func names(_ tags: String, _ entityTag: String) -> Bool {
        tags.split(separator: ",").contains { part in
            let tag = part.trimmingCharacters(in: .whitespaces)
            return tag == "*" || tag == entityTag
        }
    }
}
