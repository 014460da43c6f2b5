import HTTPTypes
import Hummingbird

@available(macOS 14, iOS 17, tvOS 17, *)
extension Response {
    /// All bytes of a resource, or the range that is asked for, or neither under the conditions of RFC 9110.
    ///
    /// - Parameters:
    ///   - request: The request, by GET or HEAD.
    ///   - count: How many bytes the resource has.
    ///   - validators: Its version.
    ///   - headers: What else is said of it.
    ///   - body: Makes the body of a range.
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
        case .whole:
            return Response(status: .ok, headers: headers, body: body(0..<count))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
            return Response(status: .partialContent, headers: headers, body: body(range))
        case .unsatisfiable:
            bare[.contentRange] = "bytes */\(count)"
            return Response(status: .rangeNotSatisfiable, headers: bare)
        }
    }

    /// RFC 9110 gives a range a meaning for GET only.
    private static func range(of request: Request, count: Int, validators: Validators) -> RequestedRange {
        guard request.method == .get, validators.allowsRange(for: request) else { return .whole }
        return RequestedRange(request.headers[.range], length: count)
    }
}
