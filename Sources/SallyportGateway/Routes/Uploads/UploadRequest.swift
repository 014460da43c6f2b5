import HTTPTypes
import Hummingbird
import Sallyport
import SallyportTransfers

/// The fields of a request for a resumable upload (interop version 6).
@available(macOS 14, iOS 17, tvOS 17, *)
struct UploadRequest {
    let isComplete: Bool
    let offset: Int64?
    let contentLength: Int64?
    /// The length of the upload, if the request contains it.
    let length: Int64?

    /// Parses the fields of a request. The result is `nil` for a request without them.
    ///
    /// - Throws: ``UploadRefusal`` if there are two lengths, or one that is too large.
    init?(_ request: Request) throws {
        let headers = request.headers
        guard headers[.uploadDraftInteropVersion] == UploadFields.version,
            let isComplete = StructuredItem.boolean(headers[.uploadComplete])
        else { return nil }
        self.isComplete = isComplete
        let offset = StructuredItem.integer(headers[.uploadOffset])
        let contentLength = headers[.contentLength].flatMap { Int64($0) }
        self.offset = offset
        self.contentLength = contentLength
        let announced = StructuredItem.integer(headers[.uploadLength])
        let sum = contentLength.map { $0.addingReportingOverflow(offset ?? 0) }
        if sum?.overflow == true { throw UploadRefusal.inconsistentLength }
        let counted = isComplete ? sum?.partialValue : nil
        if let announced, let counted, announced != counted { throw UploadRefusal.inconsistentLength }
        length = announced ?? counted
    }
}

extension HTTPField.Name {
    static let uploadDraftInteropVersion = known(UploadFields.draftVersion)
    static let uploadComplete = known(UploadFields.complete)
    static let uploadOffset = known(UploadFields.offset)
    static let uploadLength = known(UploadFields.length)
    static let uploadLimit = known(UploadFields.limit)
    static let acceptPatch = known("Accept-Patch")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is a token") }
        return name
    }
}
