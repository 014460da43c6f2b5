import Foundation

/// What tells one version of a file on a server from another.
struct DownloadValidators: Sendable, Hashable, Codable {
    /// A strong `ETag`, with its quotes.
    var entityTag: String?

    /// `Last-Modified`, if it is strong (RFC 9110, section 8.8.2.2): the file had been left alone for a minute when the
    /// response was made.
    var lastModified: String?

    /// Where the file of that date was, as ``HttpRequest/downloadKey()`` tells it, if it has no tag: two files, to which
    /// redirects led one after the other, can be of one date and length. Journals of earlier versions do not know it.
    var place: String?

    init(entityTag: String? = nil, lastModified: String? = nil, place: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.place = place
    }

    /// Those of a response.
    ///
    /// - Parameter place: Where it came from.
    init(_ headers: HttpHeaders, from place: String?, now: Date) {
        if let tag = headers["ETag"]?.first, tag.utf8.first == UInt8(ascii: "\""), tag.utf8.last == UInt8(ascii: "\""),
            tag.utf8.count >= 2
        {
            entityTag = tag
        }
        if let modified = headers["Last-Modified"]?.first, let date = HttpDate.parse(modified, now: now),
            let sent = headers["Date"]?.first.flatMap({ HttpDate.parse($0, now: now) }),
            sent.timeIntervalSince(date) >= 60
        {
            lastModified = modified
            if entityTag == nil { self.place = place }
        }
    }

    /// The value of `If-Range`; `nil` if there is nothing that a server could be asked by.
    var ifRange: String? { entityTag ?? (place == nil ? nil : lastModified) }
}
