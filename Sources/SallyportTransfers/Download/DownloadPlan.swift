import Foundation
import Sallyport
import SallyportTransport

/// Decides how a response to the request for a file or a range of it is handled. Performs no I/O.
enum DownloadPlan: Sendable, Equatable {
    /// Append the body to the partial file.
    ///
    /// The body ends before `end`; `total` is the length of the file, if the server states it.
    case append(end: Int64, total: Int64?)

    /// Replace the contents of the partial file with the body, which is the complete file.
    case replace(total: Int64?)

    /// Keep the partial file, which is complete.
    case complete

    /// Discard the body and the partial file, and request the complete file. The text states why.
    case restart(String)

    /// Fail because the response cannot be used; the text states why.
    case reject(String)

    /// Fail because the status is not a success.
    case fail

    /// A Boolean value that indicates whether the response is used.
    var isAccepted: Bool {
        switch self {
        case .append, .replace, .complete: true
        case .restart, .reject, .fail: false
        }
    }
}

/// The parts of a response that determine the plan of a download.
struct DownloadHead: Sendable, Equatable {
    var status: Int
    var contentRange: String?
    var contentType: String?
    var contentEncoding: String?
    /// A Boolean value that indicates whether the transport has decoded a content coding.
    var isDecoded = false
    var entityTag: String?
    var lastModified: String?
    /// The length of the body that the server announced.
    var length: Int64?
    /// The location from which the response came.
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
    ///   - head: The response.
    ///   - request: The request to which it responds.
    init(_ head: DownloadHead, for request: RangeRequest) {
        switch head.status {
        case 200, 203: self = Self.whole(head)
        case 206: self = Self.part(head, of: request)
        case 416 where request.start != nil: self = Self.unsatisfiable(head, request)
        default: self = .fail
        }
    }

    private static func whole(_ head: DownloadHead) -> DownloadPlan {
        // The transport has decoded every content coding that it supports.
        if let coding = head.coding {
            return .reject("the server sent the file in the content coding \(coding), which was not requested")
        }
        return .replace(total: head.length)
    }

    private static func part(_ head: DownloadHead, of request: RangeRequest) -> DownloadPlan {
        guard let start = request.start else {
            return .reject("the server sent a part of the file although the complete file was requested")
        }
        if head.contentType?.lowercased().hasPrefix("multipart/byteranges") == true {
            return .restart("the server sent several ranges in one body although one was requested")
        }
        if head.coding != nil || head.isDecoded { return .restart("the server sent a range of an encoded file") }
        guard let field = head.contentRange, let contentRange = ContentRange(field), let range = contentRange.range
        else {
            return .restart("the server did not state which range it sent")
        }
        if !request.validators.allow(head) { return .restart("the file on the server has changed") }
        if !request.validators.allowLocation(of: head) {
            return .restart("the file came from another location than before, and only its date identifies its version")
        }
        if let total = contentRange.total, let known = request.total, total != known {
            return .restart("the file on the server has changed: it has \(total) bytes and had \(known)")
        }
        if request.validators.location?.isSigned == true, contentRange.total == nil || request.total == nil {
            return .restart("only its date identifies the version of the file at the signed URL")
        }
        let end = request.end ?? contentRange.total ?? request.total ?? .max
        guard range.lowerBound == start, range.upperBound <= end else {
            return .restart("the server sent a range other than the requested one")
        }
        if let length = head.length, length != Int64(range.count) {
            return .restart("the server sent \(length) bytes for a range of \(range.count)")
        }
        return .append(end: range.upperBound, total: contentRange.total ?? request.total)
    }

    private static func unsatisfiable(_ head: DownloadHead, _ request: RangeRequest) -> DownloadPlan {
        let total = head.contentRange.flatMap { ContentRange($0)?.total }
        if let total, total == request.start, total == request.total ?? total, request.validators.allow(head),
            request.validators.allowLocation(of: head)
        {
            return .complete
        }
        return .restart("the server has no such range of the file")
    }
}

extension DownloadHead {
    /// The content coding; `nil` if there is none. Names that are not registered, such as `aws-chunked`, are ignored.
    fileprivate var coding: String? {
        guard let text = contentEncoding?.lowercased() else { return nil }
        let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard names.contains(where: { ContentCoding.isRegistered($0) && $0 != "identity" }) else { return nil }
        return VisibleText.line(String(text.trimmingCharacters(in: .whitespaces).prefix(40)))
    }
}

extension DownloadValidators {
    /// Returns a Boolean value that indicates whether a response can belong to this version. A response without
    /// validators can, because the request specified the version.
    func allow(_ head: DownloadHead) -> Bool {
        if let entityTag, let other = head.entityTag { return other == entityTag }
        if let lastModified, let other = head.lastModified { return other == lastModified }
        return true
    }

    /// Returns `true` if the validators apply to any location, or to the location of a response.
    fileprivate func allowLocation(of head: DownloadHead) -> Bool { location == nil || location == head.location }
}
