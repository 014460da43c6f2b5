import Hummingbird
import NIOCore

/// The refusal of a request for a resumable upload, sent as problem details (RFC 9457).
enum UploadRefusal: Error {
    case mismatchingOffset(expected: Int64, provided: Int64)
    case completed
    case inconsistentLength
    /// A newer request continues the upload.
    case superseded
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension UploadRefusal: HTTPResponseError {
    var status: HTTPResponse.Status {
        switch self {
        case .mismatchingOffset, .superseded: .conflict
        case .completed, .inconsistentLength: .badRequest
        }
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = try Problem(self).response(from: request, context: context)
        response.status = status
        response.headers[.contentType] = "application/problem+json"
        if case .mismatchingOffset(let expected, _) = self { response.headers[.uploadOffset] = "\(expected)" }
        response.headers[.uploadComplete] = "?0"
        return response
    }

    private struct Problem: ResponseEncodable {
        var type = "about:blank"
        var title: String
        var expectedOffset: Int64?
        var providedOffset: Int64?

        enum CodingKeys: String, CodingKey {
            case type, title
            case expectedOffset = "expected-offset"
            case providedOffset = "provided-offset"
        }

        init(_ refusal: UploadRefusal) {
            let types = "https://iana.org/assignments/http-problem-types#"
            switch refusal {
            case .mismatchingOffset(let expected, let provided):
                type = types + "mismatching-upload-offset"
                title = "The offset differs from the offset of the upload."
                (expectedOffset, providedOffset) = (expected, provided)
            case .completed:
                type = types + "completed-upload"
                title = "The upload is complete."
            case .inconsistentLength:
                type = types + "inconsistent-upload-length"
                title = "The length differs from the announced length."
            case .superseded:
                title = "Another request continues the upload."
            }
        }
    }
}
