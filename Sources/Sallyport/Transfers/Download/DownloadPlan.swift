import Foundation
import SallyportTransport

/// What to do with the response to a request for a file, or for the rest of one. Pure.
enum DownloadPlan: Sendable, Equatable {
    /// The body goes on where the partial file ends.
    ///
    /// It ends before `end`; `total` is the length of the whole, where the server knows it.
    case goOn(end: Int64, total: Int64?)

    /// The body is the whole file, which is to be fetched from its beginning.
    case startOver(total: Int64?)

    /// Nothing is missing.
    case isWhole

    /// The body is of no use, and what is there is not either: the whole is to be asked for. The text says why.
    case askAgain(String)

    /// The response cannot be used at all; the text says why.
    case refuse(String)

    /// The status is no success.
    case fail

    /// Whether the response is about the file.
    var isAccepted: Bool {
        switch self {
        case .goOn, .startOver, .isWhole: true
        case .askAgain, .refuse, .fail: false
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
    var place: DownloadPlaceKey?

    init(_ response: HttpResponse) {
        status = response.status.code
        contentRange = response.headers["Content-Range"]?.joined(separator: ", ")
        contentType = response.headers["Content-Type"]?.first
        contentEncoding = response.headers["Content-Encoding"]?.joined(separator: ", ")
        isDecoded = response.bodyStream.isDecoded
        entityTag = response.headers["ETag"]?.first
        lastModified = response.headers["Last-Modified"]?.first
        length = response.bodyStream.length
        place = try? response.request.downloadPlace()
    }

    init(status: Int) { self.status = status }
}

extension DownloadPlan {
    /// What was asked for, and what is known of the file.
    struct Question: Sendable, Equatable {
        /// The first byte that was asked for; `nil` if the whole was.
        var start: Int64?
        /// The byte before which the range ends; `nil` if it has no end.
        var end: Int64?
        /// The length of the whole, where it is known.
        var total: Int64?
        var validators = DownloadValidators()
    }

    /// - Parameters:
    ///   - head: What the response says.
    ///   - question: What it answers.
    init(_ head: DownloadHead, to question: Question) {
        switch head.status {
        case 200, 203: self = Self.whole(head)
        case 206: self = Self.part(head, of: question)
        case 416 where question.start != nil: self = Self.unsatisfiable(head, question)
        default: self = .fail
        }
    }

    private static func whole(_ head: DownloadHead) -> DownloadPlan {
        // What the transport could decode it has decoded.
        if let coding = head.coding {
            return .refuse("the server sent the file in the content coding \(coding), which was not asked for")
        }
        return .startOver(total: head.length)
    }

    private static func part(_ head: DownloadHead, of question: Question) -> DownloadPlan {
        guard let start = question.start else {
            return .refuse("the server sent a part of the file though the whole was asked for")
        }
        if head.contentType?.lowercased().hasPrefix("multipart/byteranges") == true {
            return .askAgain("the server sent several ranges in one body though one was asked for")
        }
        if head.coding != nil || head.isDecoded { return .askAgain("the server sent a range of an encoded file") }
        guard let field = head.contentRange, let contentRange = ContentRange(field), let range = contentRange.range
        else {
            return .askAgain("the server did not say which range it sent")
        }
        if !question.validators.allow(head) { return .askAgain("the file on the server has changed") }
        if !question.validators.areOfPlace(head) {
            return .askAgain("the file came from elsewhere than before, and nothing but its date tells it from others")
        }
        if let total = contentRange.total, let known = question.total, total != known {
            return .askAgain("the file on the server has changed: it has \(total) bytes and had \(known)")
        }
        if question.validators.place?.isSigned == true, contentRange.total == nil || question.total == nil {
            return .askAgain("nothing but its date tells the file of the signed URL from others")
        }
        let end = question.end ?? contentRange.total ?? question.total ?? .max
        guard range.lowerBound == start, range.upperBound <= end else {
            return .askAgain("the server sent another range than was asked for")
        }
        if let length = head.length, length != Int64(range.count) {
            return .askAgain("the server sent \(length) bytes for a range of \(range.count)")
        }
        return .goOn(end: range.upperBound, total: contentRange.total ?? question.total)
    }

    private static func unsatisfiable(_ head: DownloadHead, _ question: Question) -> DownloadPlan {
        let total = head.contentRange.flatMap { ContentRange($0)?.total }
        if let total, total == question.start, total == question.total ?? total, question.validators.allow(head),
            question.validators.areOfPlace(head)
        {
            return .isWhole
        }
        return .askAgain("the server has no such range of the file")
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
    fileprivate func areOfPlace(_ head: DownloadHead) -> Bool { place == nil || place == head.place }
}
