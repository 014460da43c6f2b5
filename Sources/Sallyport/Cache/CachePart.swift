import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// The part of a body that a stored or received response with status 206 contains (RFC 9110, section 15.3.7).
struct CachePart: Sendable, Hashable {
    /// The bytes of the complete body.
    let range: Range<Int64>

    /// The length of the complete body in bytes.
    let total: Int64

    /// Creates the part of a response; `nil` if its position is unknown, or if it is encoded, because the codings of parts cannot be
    /// decoded.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - length: The number of bytes that were received; `nil` if it is not known yet. It may be less than `Content-Range` states: some
    ///     servers state the end of a range instead of its last byte.
    init?(_ fields: HTTPFields, length: Int64?) {
        let values = fields[values: .contentRange]
        guard values.count == 1, let content = ContentRange(values[0]), let range = content.range,
            let total = content.total, !fields.contains(.contentEncoding)
        else { return nil }
        let stated = fields[values: .contentLength].first.flatMap { Int64($0) }
        let length = length ?? stated ?? Int64(range.count)
        guard length > 0, length <= Int64(range.count) else { return nil }
        self.range = range.lowerBound..<(range.lowerBound + length)
        self.total = total
    }
}

extension HttpCacheEntry {
    /// The part that is stored; `nil` for a complete response.
    var part: CachePart? { head.range == nil ? nil : CachePart(head.fields, length: bodyLength) }
}

extension CacheRules {
    /// Returns the form of the answer to a request from a stored part; `nil` if the request is not for bytes of the part.
    static func form(ofPart entry: HttpCacheEntry, for request: CacheRequest) -> CacheReuse.Form? {
        guard request.method == .get, let part = entry.part, let range = request.fields[.range] else { return nil }
        if let condition = request.fields[.ifRange], !matches(entry, ifRange: condition) { return nil }
        if request.isConditional { return isUnchanged(entry, for: request) ? .notModified : nil }
        if range == entry.head.range { return .complete }
        guard case .part(let bytes) = ByteRange(range, of: part.total), bytes.clamped(to: part.range) == bytes else {
            return nil
        }
        return .part(bytes)
    }

    /// Returns the longest of the stored parts that the complete response to a request begins with; `nil` if there is none, or none with a
    /// tag that identifies its bytes. With such a part, only the rest of the response must be requested (RFC 9111, section 3.3).
    static func beginning(of parts: [HttpCacheEntry], for request: CacheRequest) -> HttpCacheEntry? {
        if request.method != .get || request.isConditional || request.fields.contains(.range) { return nil }
        let beginnings = parts.filter { entry in
            guard let part = entry.part, entry.head.fields[values: .eTag].first?.hasPrefix("\"") == true else {
                return false
            }
            return part.range.lowerBound == 0 && part.range.upperBound < part.total
        }
        return beginnings.max { $0.bodyLength < $1.bodyLength }
    }

    /// Returns the fields with which a request asks for the rest of a response.
    static func conditions(forRestAfter beginning: HttpCacheEntry) -> HTTPFields {
        guard let tag = beginning.head.fields[values: .eTag].first else { return [:] }
        return [.range: "bytes=\(beginning.bodyLength)-", .ifRange: tag]
    }

    /// Returns the decision about the rest of a response. The rest and the stored beginning are combined if they have the same strong tag
    /// (RFC 9111, section 3.4).
    func combination(
        of beginning: HttpCacheEntry,
        with rest: CacheResponse,
        for request: CacheRequest
    ) -> CacheOutcome {
        guard rest.status == 206, let first = beginning.part, let second = CachePart(rest.fields, length: nil),
            second.range == first.range.upperBound..<first.total, second.total == first.total,
            let tag = rest.fields[values: .eTag].first,
            EntityTag.matchesStrongly(tag, beginning.head.fields[values: .eTag].first ?? "")
        else { return .sendUnconditionally(detail: "range-mismatch") }
        var head = beginning.head.updated(by: rest)
        head.id = UUID()
        head.status = 200
        head.range = nil
        head.fields[.contentRange] = nil
        head.fields[.contentLength] = String(first.total)
        let complete = CacheResponse(
            status: head.status,
            fields: head.fields,
            requestTime: rest.requestTime,
            responseTime: rest.responseTime
        )
        guard let variant = CacheVariant(of: head.fields, to: request) else {
            return .combine(beginning, head: head, problem: "vary")
        }
        head.variant = variant.digest
        head.varyingFields = variant.names
        return .combine(beginning, head: head, problem: storingProblem(of: complete, to: request))
    }
}

/// A stored beginning of a body, and the rest, which the server sends.
struct CombinedBody: ResponseBodySource {
    let beginning: any ResponseBodySource
    let rest: any ResponseBodySource
    /// The number of bytes of the rest that have not been received.
    private let missing: Locked<Int64>

    /// - Parameter length: The length of the rest in bytes.
    init(_ beginning: any ResponseBodySource, _ rest: any ResponseBodySource, length: Int64) {
        self.beginning = beginning
        self.rest = rest
        missing = Locked(length)
    }

    var trailers: HTTPFields { rest.trailers }

    func read() async throws(NetworkError) -> Data? {
        if let chunk = try await beginning.read() { return chunk }
        let chunk = try await rest.read()
        let left = missing.withLock { missing in
            missing -= Int64(chunk?.count ?? 0)
            return missing
        }
        if left == 0 || left > 0 && chunk != nil { return chunk }
        throw .incompleteBody(
            NetworkFailure(
                "the server sent \(Quantity.size(abs(left))) \(left > 0 ? "less" : "more") than the rest of the stored response",
                phase: .body,
                advice: "repeat the call"
            )
        )
    }

    func cancel() {
        beginning.cancel()
        rest.cancel()
    }
}
