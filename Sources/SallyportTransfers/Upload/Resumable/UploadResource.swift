import HTTPTypes
import Sallyport
import SallyportTransport

/// The resource that a server creates for an upload, to which an interrupted upload can append the missing bytes.
struct UploadResource: Sendable, Equatable {
    /// The URL, which has the same origin as the upload.
    let url: String

    /// The number of bytes that the server has acknowledged.
    var acknowledged: Int64 = 0

    /// The maximum size of a part in one request; `nil` if there is no limit.
    var largestPart: Int64?

    init(url: String) {
        self.url = url
    }

    /// - Parameters:
    ///   - location: The `Location` from the server, which may be relative to the upload.
    ///   - upload: The URL of the upload.
    /// - Throws: ``UploadProblem`` if it has another origin, or is not a valid URL.
    init(location: String, of upload: String) throws(UploadProblem) {
        guard location.utf8.count <= 8192, let base = try? RequestTarget(url: upload),
            let resolved = RequestTarget.resolved(location, against: base.url),
            let target = try? RequestTarget(url: resolved)
        else { throw UploadProblem("the server sent an invalid URL for continuing the upload") }
        guard target.origin == base.origin else {
            throw UploadProblem(
                "the server sent a URL of another origin for continuing the upload, \(target.origin), which is not used"
            )
        }
        self.init(url: target.url)
    }
}

/// The reason why an upload cannot be continued.
struct UploadProblem: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
