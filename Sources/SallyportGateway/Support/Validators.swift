import Foundation
import Hummingbird
import Sallyport

/// The validators of a resource, and the preconditions that use them (RFC 9110, sections 8.8 and 13.1).
@available(macOS 14, iOS 17, tvOS 17, *)
struct Validators {
    /// A strong entity tag, with its quotes.
    let entityTag: String
    /// The time of the last change, in whole seconds.
    let lastModified: Date
    /// A Boolean value that indicates whether different versions always have different dates.
    var hasStrongDate = true

    var headers: HTTPFields {
        [.eTag: entityTag, .lastModified: HttpDate.text(lastModified)]
    }

    /// Returns `true` if the client's copy is current. `If-None-Match` takes precedence over `If-Modified-Since`.
    func isUnchanged(for request: Request) -> Bool {
        if let tags = request.headers[.ifNoneMatch] {
            return Self.matchWeakly(tags, entityTag)
        }
        guard let date = request.headers[.ifModifiedSince].flatMap({ HttpDate.parse($0) }) else { return false }
        return lastModified <= date
    }

    /// Returns `true` unless `If-Range` is for another version.
    func allowsRange(for request: Request) -> Bool {
        guard let condition = request.headers[.ifRange] else { return true }
        return condition == entityTag || hasStrongDate && HttpDate.parse(condition) == lastModified
    }

    /// Returns `true` if `If-Match` or `If-Unmodified-Since` is for another version (RFC 9110, section 13.1).
    func isRefused(for request: Request) -> Bool {
        if let tags = request.headers[.ifMatch] { return !Self.match(tags, entityTag) }
        guard let date = request.headers[.ifUnmodifiedSince].flatMap({ HttpDate.parse($0) }) else { return false }
        return lastModified > date
    }

    /// Returns `true` if a list of entity tags contains a tag, by weak comparison, or is `*`.
    static func matchWeakly(_ tags: String, _ entityTag: String) -> Bool {
        match(tags, entityTag) || match(tags, "W/\(entityTag)")
    }

    /// Returns `true` if a list of entity tags contains a tag, by strong comparison, or is `*`.
    static func match(_ tags: String, _ entityTag: String) -> Bool {
        tags.split(separator: ",").contains { part in
            let tag = part.trimmingCharacters(in: .whitespaces)
            return tag == "*" || tag == entityTag
        }
    }
}
