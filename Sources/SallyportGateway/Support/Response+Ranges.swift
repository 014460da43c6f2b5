import HTTPTypes
import Hummingbird
import Sallyport

@available(macOS 14, iOS 17, tvOS 17, *)
extension Response {
    /// Returns a response with a resource or the requested range of it, or without a body if a precondition fails
    /// (RFC 9110, section 13).
    ///
    /// - Parameters:
    ///   - request: The GET or HEAD request.
    ///   - count: The length of the resource in bytes.
    ///   - validators: The validators of the resource.
    ///   - headers: Further headers.
    ///   - body: A closure that returns the body for a range.
    static func ranged(
        to request: Request,
        count: Int,
        validators: Validators,
        headers: HTTPFields,
        body: (Range<Int>) -> ResponseBody
    ) -> Response {
        var headers = headers
        var bare = validators.headers
        bare[.acceptRanges] = "bytes"
        headers.append(contentsOf: bare)
        if validators.isRefused(for: request) { return Response(status: .preconditionFailed, headers: bare) }
        if validators.isUnchanged(for: request) { return Response(status: .notModified, headers: bare) }
        switch range(of: request, count: count, validators: validators) {
        case .complete:
            return Response(status: .ok, headers: headers, body: body(0..<count))
        case .part(let part):
            let range = Int(part.lowerBound)..<Int(part.upperBound)
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
            return Response(status: .partialContent, headers: headers, body: body(range))
        case .unsatisfiable:
            bare[.contentRange] = "bytes */\(count)"
            return Response(status: .rangeNotSatisfiable, headers: bare)
        }
    }

    /// Returns the requested range. Ranges are defined only for GET.
    private static func range(of request: Request, count: Int, validators: Validators) -> ByteRange {
        guard request.method == .get, validators.allowsRange(for: request) else { return .complete }
        return ByteRange(request.headers[.range], of: Int64(count))
    }
}
