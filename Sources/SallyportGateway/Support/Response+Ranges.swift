import HTTPTypes
import Hummingbird

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
        case .partial(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
            return Response(status: .partialContent, headers: headers, body: body(range))
        case .unsatisfiable:
            bare[.contentRange] = "bytes */\(count)"
            return Response(status: .rangeNotSatisfiable, headers: bare)
        }
    }

    /// Returns the requested range. Ranges are defined only for GET.
    private static func range(of request: Request, count: Int, validators: Validators) -> RequestedRange {
        guard request.method == .get, validators.allowsRange(for: request) else { return .complete }
        return RequestedRange(request.headers[.range], length: count)
    }
}

/// The range that a `Range` header requests of a resource of known length (RFC 9110, section 14).
enum RequestedRange: Equatable {
    /// The complete resource: there is no range, several ranges, another unit, or an invalid header.
    case complete
    /// One range of bytes.
    case partial(Range<Int>)
    /// A range that lies outside the resource.
    case unsatisfiable

    init(_ header: String?, length: Int) {
        self = .complete
        guard let header, header.lowercased().hasPrefix("bytes="), !header.contains(",") else { return }
        let bounds = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }) else { return }
        // A number that is too large for Int is larger than any resource.
        let numbers = bounds.map { $0.isEmpty ? nil : Int($0) ?? Int.max }
        switch (numbers[0], numbers[1]) {
        case (let first?, let last?) where first <= last:
            self = first < length ? .partial(first..<(min(last, length - 1) + 1)) : .unsatisfiable
        case (let first?, nil):
            self = first < length ? .partial(first..<length) : .unsatisfiable
        case (nil, let suffix?):
            self = suffix > 0 && length > 0 ? .partial(max(0, length - suffix)..<length) : .unsatisfiable
        default:
            self = .complete
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
