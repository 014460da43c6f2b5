import HTTPTypes
import SallyportTransport

/// Where a server keeps what it has of an upload, so that this can go on.
struct UploadResource: Sendable, Equatable {
    /// Of the same origin as the upload.
    let url: String

    /// How many bytes the server has said to have.
    var acknowledged: Int64 = 0

    /// The largest part that it takes in one request.
    var largestPart: Int64?

    init(url: String) {
        self.url = url
    }

    /// - Parameters:
    ///   - location: What the server calls it, perhaps relative to the upload.
    ///   - upload: The URL of the upload.
    /// - Throws: ``UploadProblem`` when it is at another origin, or no URL.
    init(location: String, of upload: String) throws(UploadProblem) {
        guard location.utf8.count <= 8192, let base = try? RequestTarget(url: upload),
            let resolved = RequestTarget.resolved(location, against: base.url),
            let target = try? RequestTarget(url: resolved)
        else { throw UploadProblem("the server named no valid URL for it to go on") }
        guard target.origin == base.origin else {
            throw UploadProblem(
                "the server named a URL of another origin for it to go on, \(target.origin), which is not followed"
            )
        }
        self.init(url: target.url)
    }
}

/// Why an upload cannot go on from where it is.
struct UploadProblem: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
