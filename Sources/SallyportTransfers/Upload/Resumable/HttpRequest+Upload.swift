import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport

/// The first request of an upload, which sends the complete body.
extension HttpRequest {
    /// Returns the request as it is sent: with a method that has a body, and without a limit on its total time.
    func asUpload(by client: HttpClient, _ retry: RetryPolicy, idempotencyKey: String? = nil) -> HttpRequest {
        var request = withBodyMethod
        if request.timeout == nil, request.timeouts == nil { request.timeouts = client.streamTimeouts }
        // The upload itself repeats requests, as it knows from which byte to continue.
        request.retry = .never
        guard retry.attempts > 1, retry.addsIdempotencyKey, !retry.isRepeatable(request) else { return request }
        if let idempotencyKey {
            request.setHeader(name: NetworkConstants.headerIdempotencyKey, value: idempotencyKey)
        } else {
            IdempotencyKey.add(to: &request)
        }
        return request
    }

    private var withBodyMethod: HttpRequest {
        var upload = self
        if getMethod() == .get { upload.setMethod(.post) }
        return upload
    }

    /// The URL with all its parameters; empty if it is invalid. The request is then refused later.
    var sentUrl: String {
        (try? RequestTarget(url: url, parameters: parameters))?.url ?? ""
    }

    /// Returns the name that identifies the upload in a later process; `nil` if its body cannot be identified.
    func uploadName(with content: UploadContent) -> String? {
        guard let fingerprint = content.fingerprint else { return nil }
        let type = getHeader(name: NetworkConstants.headerContentType) ?? ""
        let parts = ["\(withBodyMethod.getMethod())", sentUrl, type, fingerprint]
        return BodyFingerprint.digest(Data(parts.joined(separator: "\n").utf8))
    }

    /// The boundary between the parts of a multipart body; `nil` for other bodies.
    var boundary: String? {
        let type = getHeader(name: NetworkConstants.headerContentType) ?? ""
        guard type.lowercased().hasPrefix(NetworkConstants.contentTypeMultipart),
            let start = type.range(of: "boundary=", options: .caseInsensitive)
        else { return nil }
        let value = type[start.upperBound...].prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        return value.trimmingCharacters(in: ["\""])
    }
}

/// The requests of a resumable upload.
extension HttpRequest {
    /// Offers the server a resumable upload. A server that does not support it processes the request as any other.
    mutating func offerResumption(length: Int64?) {
        setHeader(name: UploadFields.draftVersion, value: UploadFields.version)
        setHeader(name: UploadFields.complete, value: "?1")
        if let length { setHeader(name: UploadFields.length, value: "\(length)") }
    }

    /// Returns the request for the number of bytes that the server has.
    func offsetRequest(to resource: UploadResource) -> HttpRequest {
        request(.head, to: resource)
    }

    /// Returns the request that cancels the upload.
    func cancellation(of resource: UploadResource) -> HttpRequest {
        request(.delete, to: resource)
    }

    /// Returns the request that appends a part.
    ///
    /// - Parameter isLast: If `true`, the part ends the upload.
    func append(_ part: RequestBody, at offset: Int64, isLast: Bool, to resource: UploadResource) -> HttpRequest {
        var append = request(.patch, to: resource)
        append.setHeader(name: UploadFields.offset, value: "\(offset)")
        append.setHeader(name: UploadFields.complete, value: isLast ? "?1" : "?0")
        append.setHeader(name: NetworkConstants.headerContentType, value: UploadFields.partialUpload)
        append.body = part
        append.expectsContinue = expectsContinue
        append.trailers = isLast ? trailers : nil
        return append
    }

    /// Returns a request to the upload resource, without the fields that describe the body.
    private func request(_ method: HttpMethod, to resource: UploadResource) -> HttpRequest {
        var request = self
        request.setMethod(method)
        request.url = resource.url
        request.parameters = []
        request.body = .none
        request.expectsContinue = false
        request.trailers = nil
        request.onInformational = nil
        for field in fields where field.name.isAboutUpload { request.fields[field.name] = nil }
        request.setHeader(name: UploadFields.draftVersion, value: UploadFields.version)
        return request
    }
}

extension HTTPField.Name {
    /// A Boolean value that indicates whether the field describes the body, the complete upload, or the first request
    /// only.
    fileprivate var isAboutUpload: Bool {
        switch canonicalName {
        case "expect", "idempotency-key", "repr-digest", "digest", "prefer", "range", "if-match", "if-none-match",
            "if-modified-since", "if-unmodified-since", "if-range":
            true
        default: canonicalName.hasPrefix("content-") || canonicalName.hasPrefix("upload-")
        }
    }
}
