import Foundation
import SallyportTransport

/// What to do with the response to a request for a file, or for the rest of one. Pure.
enum DownloadPlan: Sendable, Equatable {
    /// The body goes on where the partial file ends.
    ///
    /// It ends before `end`; `total` is the length of the whole, where the server knows it.
    case append(end: Int64, total: Int64?)

    /// The body is the whole file, which is to be fetched from its beginning.
    case replace(total: Int64?)

    /// Nothing is missing.
    case complete

    /// The body is of no use, and what is there is not either: the whole is to be asked for. The text says why.
    case restart(String)

    /// The response cannot be used at all; the text says why.
    case reject(String)

    /// The status is no success.
    case fail

    /// Whether the response is about the file.
    var isAccepted: Bool {
        switch self {
        case .append, .replace, .complete: true
        case .restart, .reject, .fail: false
        }
    }
}

/// What a response says that matters to a download.
struct DownloadHead: Sendable, Equatable {
    var status: Int
    var contentRange: String?
    var contentType: String?
    var contentEncoding: String?
    /// Whether the transport has taken a content coding off.
    var isDecoded = false
    var entityTag: String?
    var lastModified: String?
    /// The announced number of bytes.
    var length: Int64?
    /// The location that the response came from.
    var location: DownloadLocation?

    init(_ response: HttpResponse) {
        status = response.status.code
        contentRange = response.headers["Content-Range"]?.joined(separator: ", ")
        contentType = response.headers["Content-Type"]?.first
        contentEncoding = response.headers["Content-Encoding"]?.joined(separator: ", ")
        isDecoded = response.bodyStream.isDecoded
        entityTag = response.headers["ETag"]?.first
        lastModified = response.headers["Last-Modified"]?.first
        length = response.bodyStream.length
        location = try? response.request.downloadLocation()
    }

    init(status: Int) { self.status = status }
}

/// A request for a file, or for a range of it.
struct RangeRequest: Sendable, Equatable {
    /// The first byte of the range; `nil` if the whole file is requested.
    var start: Int64?
    /// The end of the range, which is exclusive; `nil` if the range extends to the end of the file.
    var end: Int64?
    /// The length of the file, if it is known.
    var total: Int64?
    /// The validators of the version to which the range belongs.
    var validators = DownloadValidators()
}

extension DownloadPlan {
    /// - Parameters:
    ///   - head: What the response says.
    ///   - request: The request that it answers.
    init(_ head: DownloadHead, for request: RangeRequest) {
        switch head.status {
        case 200, 203: self = Self.whole(head)
        case 206: self = Self.part(head, of: request)
        case 416 where request.start != nil: self = Self.unsatisfiable(head, request)
        default: self = .fail
        }
    }

    private static func whole(_ head: DownloadHead) -> DownloadPlan {
        // What the transport could decode it has decoded.
        if let coding = head.coding {
            return .reject("the server sent the file in the content coding \(coding), which was not asked for")
        }
        return .replace(total: head.length)
    }

    private static func part(_ head: DownloadHead, of request: RangeRequest) -> DownloadPlan {
        guard let start = request.start else {
            return .reject("the server sent a part of the file though the whole was asked for")
        }
        if head.contentType?.lowercased().hasPrefix("multipart/byteranges") == true {
            return .restart("the server sent several ranges in one body though one was asked for")
        }
        if head.coding != nil || head.isDecoded { return .restart("the server sent a range of an encoded file") }
        guard let field = head.contentRange, let contentRange = ContentRange(field), let range = contentRange.range
        else {
            return .restart("the server did not say which range it sent")
        }
        if !request.validators.allow(head) { return .restart("the file on the server has changed") }
        if !request.validators.applyToLocation(head) {
            return .restart("the file came from elsewhere than before, and nothing but its date tells it from others")
        }
        if let total = contentRange.total, let known = request.total, total != known {
            return .restart("the file on the server has changed: it has \(total) bytes and had \(known)")
        }
        if request.validators.location?.isSigned == true, contentRange.total == nil || request.total == nil {
            return .restart("nothing but its date tells the file of the signed URL from others")
        }
        let end = request.end ?? contentRange.total ?? request.total ?? .max
        guard range.lowerBound == start, range.upperBound <= end else {
            return .restart("the server sent another range than was asked for")
        }
        if let length = head.length, length != Int64(range.count) {
            return .restart("the server sent \(length) bytes for a range of \(range.count)")
        }
        return .append(end: range.upperBound, total: contentRange.total ?? request.total)
    }

    private static func unsatisfiable(_ head: DownloadHead, _ request: RangeRequest) -> DownloadPlan {
        let total = head.contentRange.flatMap { ContentRange($0)?.total }
        if let total, total == request.start, total == request.total ?? total, request.validators.allow(head),
            request.validators.applyToLocation(head)
        {
            return .complete
        }
        return .restart("the server has no such range of the file")
    }
}

extension DownloadHead {
    /// The content coding, unless it is none.
    fileprivate var coding: String? {
        guard let coding = contentEncoding?.lowercased().trimmingCharacters(in: .whitespaces), !coding.isEmpty,
            coding != "identity"
        else { return nil }
        return VisibleText.line(String(coding.prefix(40)))
    }
}

extension DownloadValidators {
    /// Returns whether a response can be of this version. One without validators can, as the request named the version.
    func allow(_ head: DownloadHead) -> Bool {
        if let entityTag, let other = head.entityTag { return other == entityTag }
        if let lastModified, let other = head.lastModified { return other == lastModified }
        return true
    }

    /// Returns whether a response comes from the location that the validators apply to, if they are bound to one.
    fileprivate func applyToLocation(_ head: DownloadHead) -> Bool { location == nil || location == head.location }
}

/// The field `Content-Range` in bytes (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
    /// The bytes that the body has; `nil` of a 416, which has none.
    var range: Range<Int64>?

    /// How many bytes the whole has; `nil` while the server does not know.
    var total: Int64?

    /// - Returns: `nil` if the value is none, is of another unit than bytes, or contradicts itself.
    init?(_ value: String) {
        let parts = value.trimmingCharacters(in: .whitespaces).split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sides = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] != "*" {
            guard let total = Self.number(sides[1]) else { return nil }
            self.total = total
        }
        if sides[0] == "*" {
            if total == nil { return nil }
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < total ?? .max
        else { return nil }
        range = first..<(last + 1)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
