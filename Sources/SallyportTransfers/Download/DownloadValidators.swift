import Foundation
import Sallyport

/// The location of a download's file, for comparison only.
struct DownloadLocation: Sendable, Hashable, Codable {
    /// A digest of the URL, without the signature of a signed URL.
    var digest: String
    /// A Boolean value that indicates whether the URL was signed.
    var isSigned: Bool
}

/// The validators of a version of a file on a server (RFC 9110, section 8.8).
struct DownloadValidators: Sendable, Hashable, Codable {
    /// `ETag` with its quotes, if it is strong.
    var entityTag: String?

    /// `Last-Modified`, if it is strong (RFC 9110, section 8.8.2.2): at least a minute earlier than the `Date` of the
    /// response.
    var lastModified: String?

    /// The location of the file, if only its date identifies the version; see ``HttpRequest/downloadLocation()``.
    ///
    /// A redirect can lead to another file in a later request, which may have the same date and length.
    var location: DownloadLocation?

    private enum CodingKeys: String, CodingKey {
        case entityTag
        case lastModified
        case location = "place"
    }

    init(entityTag: String? = nil, lastModified: String? = nil, location: DownloadLocation? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.location = location
    }

    /// Creates the validators of a response.
    ///
    /// - Parameter location: The location that the response came from.
    init(_ headers: HttpHeaders, from location: DownloadLocation?, now: Date) {
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
            if entityTag == nil { self.location = location }
        }
    }

    /// The value of `If-Range`; `nil` if there is no strong validator.
    var ifRange: String? { entityTag ?? (location == nil ? nil : lastModified) }
}
