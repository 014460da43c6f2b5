import Foundation
import Hummingbird

/// What tells one version of a resource from another, and the conditions of RFC 9110 that use it.
@available(macOS 14, iOS 17, tvOS 17, *)
struct Validators {
    /// A strong entity tag, with its quotes.
    let entityTag: String
    let lastModified: Date

    var headers: HTTPFields {
        [.eTag: entityTag, .lastModified: HTTPDate.text(from: lastModified)]
    }

    /// Whether the client's copy is still good. `If-None-Match` wins over `If-Modified-Since`.
    func isUnchanged(for request: Request) -> Bool {
        if let tags = request.headers[.ifNoneMatch] {
            return tags.split(separator: ",").contains { part in
                let tag = part.trimmingCharacters(in: .whitespaces)
                return tag == "*" || tag == entityTag || tag == "W/\(entityTag)"
            }
        }
        guard let date = request.headers[.ifModifiedSince].flatMap(HTTPDate.date) else { return false }
        return lastModified <= date
    }

    /// Whether a range may be answered: the client's earlier part is of this version, or it did not say.
    func allowsRange(for request: Request) -> Bool {
        guard let condition = request.headers[.ifRange] else { return true }
        return condition == entityTag || HTTPDate.date(from: condition) == lastModified
    }
}
