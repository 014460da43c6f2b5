import Foundation
import HTTPTypes
import SallyportTransport

/// The decision about a request before anything is sent (RFC 9111, section 4).
enum CacheDecision: Sendable, Hashable {
    /// Returns a stored response.
    case use(CacheReuse)

    /// Sends the request, possibly to validate a stored response.
    case send(CacheForward)

    /// Returns 504, because the request allows only stored responses and none can be used (RFC 9111, section 5.2.1.7).
    case refuse(detail: String)
}

/// A stored response that is returned.
struct CacheReuse: Sendable, Hashable {
    /// The form of the returned response.
    enum Form: Sendable, Hashable {
        case complete
        /// 304 for the caller's own condition. The caller has the response already.
        case notModified
        /// 206 with a part of the body.
        case part(Range<Int64>)
    }

    let entry: HttpCacheEntry
    let form: Form
    var freshness: CacheFreshness
    /// The fields that must not be returned without validation (RFC 9111, section 5.2.2.4).
    var omittedFields: [HTTPField.Name] = []
    /// A Boolean value that indicates whether the response is validated in the background (RFC 5861, section 3).
    var isValidatedInBackground = false
    var detail: String?
}

/// A request that is sent.
struct CacheForward: Sendable, Hashable {
    var reason: HttpCacheStatus.Forward
    var detail: String?
    /// The stored response that the request selects.
    var entry: HttpCacheEntry?
    /// The fields that make the request conditional, to validate the entry (RFC 9111, section 4.3.1); empty if it is not validated.
    var conditions: HTTPFields = [:]
    /// A Boolean value that indicates whether the request allows the response to be stored.
    var mayStore = true
    /// The stale response to return if the server fails (RFC 5861, section 4).
    var fallback: CacheReuse?
    /// The stored part with which the response begins; the request is for the rest.
    var beginning: HttpCacheEntry?
    /// The stored responses that are removed before the server's response is stored, because `Vary` has selected too many of the URL, or
    /// because they are parts of the response.
    var surplus: [HttpCacheEntry] = []
}

/// The rules by which a cache decides. They depend only on their parameters.
struct CacheRules: Sendable, Hashable {
    /// The maximum number of responses of a URL that `Vary` selects, for one user. More of them would make each lookup of the URL read a
    /// growing number of responses.
    private static let maximumVariants = 64

    /// The maximum lifetime in seconds that is estimated for a response.
    var heuristicLimit = 86_400

    /// Returns the decision about a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - entries: The stored responses of its URL, in its partition and in the shared one.
    ///   - now: The current time.
    func decide(_ request: CacheRequest, _ entries: [HttpCacheEntry], at now: Date) -> CacheDecision {
        let decision = unrestricted(request, entries, at: now)
        guard case .send(let forward) = decision, request.isAnsweredOnlyFromCache else { return decision }
        return .refuse(detail: "only-if-cached-\(forward.reason.rawValue)")
    }

    private func unrestricted(_ request: CacheRequest, _ entries: [HttpCacheEntry], at now: Date) -> CacheDecision {
        guard request.method == .get || request.method == .head else {
            return .send(CacheForward(reason: .method, mayStore: false))
        }
        if request.hasBody { return .send(CacheForward(reason: .bypass, detail: "request-body", mayStore: false)) }
        if request.directives.contains("no-store") {
            return .send(CacheForward(reason: .bypass, detail: "no-store", mayStore: false))
        }
        if request.hasServerPrecondition {
            return .send(CacheForward(reason: .bypass, detail: "precondition", mayStore: false))
        }
        let isStored = request.method == .get
        if entries.isEmpty { return .send(CacheForward(reason: .uriMiss, mayStore: isStored)) }
        let parts = entries.filter { $0.head.range != nil && CacheVariant.isSelected($0.head, by: request) }
        guard let entry = Self.selected(from: entries, by: request) else {
            var forward = CacheForward(reason: parts.isEmpty ? .varyMiss : .partial, mayStore: isStored)
            let surplus = entries.count - Self.maximumVariants + 1
            if surplus > 0 {
                let oldest = entries.sorted { $0.head.responseTime < $1.head.responseTime }.prefix(surplus)
                forward.surplus = Array(oldest)
            }
            if let beginning = Self.beginning(of: parts, for: request) {
                forward.beginning = beginning
                forward.conditions = Self.conditions(forRestAfter: beginning)
            }
            return .send(replacing(parts, by: request, forward))
        }
        let decision = decide(request, entry, at: now)
        guard case .send(let forward) = decision else { return decision }
        return .send(replacing(parts, by: request, forward))
    }

    /// Returns the request to send, with the stored parts that its complete response replaces.
    private func replacing(
        _ parts: [HttpCacheEntry],
        by request: CacheRequest,
        _ forward: CacheForward
    ) -> CacheForward {
        if request.fields.contains(.range) { return forward }
        var forward = forward
        forward.surplus += parts.filter { !forward.surplus.contains($0) }
        return forward
    }

    /// Returns the most recent stored response that a request selects (RFC 9111, section 4.1). Parts that do not contain what is requested
    /// are not considered.
    static func selected(from entries: [HttpCacheEntry], by request: CacheRequest) -> HttpCacheEntry? {
        let matching = entries.filter { entry in
            CacheVariant.isSelected(entry.head, by: request)
                && (entry.head.range == nil || form(ofPart: entry, for: request) != nil)
        }
        return matching.max { first, second in
            (first.head.date, first.head.responseTime) < (second.head.date, second.head.responseTime)
        }
    }

    private func decide(_ request: CacheRequest, _ entry: HttpCacheEntry, at now: Date) -> CacheDecision {
        let response = CacheDirectives(entry.head.fields)
        let freshness = CacheFreshness(entry.head, response, at: now, heuristicLimit: heuristicLimit)
        var forward = CacheForward(reason: .stale, entry: entry, mayStore: request.method == .get)
        guard let form = Self.form(of: entry, for: request) else {
            forward.reason = .bypass
            forward.detail = "range"
            return .send(forward)
        }
        var reuse = CacheReuse(entry: entry, form: form, freshness: freshness)
        reuse.omittedFields = response.fieldNames("no-cache")
        switch Self.use(of: response, freshness, for: request) {
        case .allowed(let detail, let isValidated):
            reuse.detail = detail
            reuse.isValidatedInBackground = isValidated && !request.isAnsweredOnlyFromCache
            return .use(reuse)
        case .requiresValidation(let reason, let detail):
            forward.reason = reason
            forward.detail = detail
            forward.conditions = Self.conditions(for: entry, request)
            if Self.mayFallBack(to: response, freshness, for: request, reason) {
                reuse.detail = "stale-if-error"
                forward.fallback = reuse
            }
            return .send(forward)
        }
    }

    private enum Use {
        case allowed(detail: String? = nil, isValidatedInBackground: Bool = false)
        case requiresValidation(HttpCacheStatus.Forward, detail: String? = nil)
    }

    /// Returns the permission to use a response without validation, or the reason why it must be validated (RFC 9111, sections 4.2.4 and
    /// 5.2).
    private static func use(
        of response: CacheDirectives,
        _ freshness: CacheFreshness,
        for request: CacheRequest
    ) -> Use {
        if request.requiresValidation {
            return .requiresValidation(freshness.isFresh ? .request : .stale, detail: "no-cache")
        }
        if response.appliesToCompleteResponse("no-cache") { return .requiresValidation(.stale, detail: "no-cache") }
        let minimum = request.directives.longestSeconds("min-fresh")
        let maximumAge = request.directives.seconds("max-age")
        // An immutable response is not validated when the app reloads it (RFC 8246, section 2).
        let isTooOld = maximumAge.map { freshness.age > $0 } ?? false
        if freshness.isFresh {
            if isTooOld, !response.contains("immutable") { return .requiresValidation(.request, detail: "max-age") }
            if let minimum, freshness.timeToLive < minimum { return .requiresValidation(.request, detail: "min-fresh") }
            return .allowed()
        }
        let staleness = -freshness.timeToLive
        if isTooOld || minimum != nil { return .requiresValidation(.stale) }
        if response.contains("must-revalidate") { return .requiresValidation(.stale, detail: "must-revalidate") }
        if let accepted = request.acceptedStaleness, staleness <= accepted { return .allowed(detail: "max-stale") }
        if maximumAge == nil, let limit = response.seconds("stale-while-revalidate"), staleness <= limit {
            return .allowed(detail: "stale-while-revalidate", isValidatedInBackground: true)
        }
        return .requiresValidation(.stale)
    }

    /// Returns a Boolean value that indicates whether a stale response may be returned if the server fails. The server or the request
    /// allows it for a time (RFC 5861, section 4).
    private static func mayFallBack(
        to response: CacheDirectives,
        _ freshness: CacheFreshness,
        for request: CacheRequest,
        _ reason: HttpCacheStatus.Forward
    ) -> Bool {
        if reason != .stale || request.requiresValidation || response.contains("must-revalidate") { return false }
        if response.appliesToCompleteResponse("no-cache") { return false }
        let limits = [response.seconds("stale-if-error"), request.directives.seconds("stale-if-error")]
        return limits.compactMap(\.self).contains { -freshness.timeToLive <= $0 }
    }

    /// Returns the stale response that replaces an error, with its age at the time of the error; `nil` if there is none, or if it has
    /// become too old since the request was sent.
    func fallback(of forward: CacheForward, for request: CacheRequest, at now: Date) -> CacheReuse? {
        guard var reuse = forward.fallback else { return nil }
        let response = CacheDirectives(reuse.entry.head.fields)
        reuse.freshness = CacheFreshness(reuse.entry.head, response, at: now, heuristicLimit: heuristicLimit)
        return Self.mayFallBack(to: response, reuse.freshness, for: request, forward.reason) ? reuse : nil
    }

    /// Returns the fields that are added to a request to validate a stored response. A request with the caller's own conditions, a range or
    /// the method HEAD is sent unchanged, because its response has no body that could replace the stored one.
    static func conditions(for entry: HttpCacheEntry, _ request: CacheRequest) -> HTTPFields {
        var conditions = HTTPFields()
        if request.method != .get || request.isConditional || request.fields.contains(.range) { return conditions }
        if let tag = entry.head.fields[values: .eTag].first { conditions[.ifNoneMatch] = tag }
        if let modified = entry.head.fields[values: .lastModified].first { conditions[.ifModifiedSince] = modified }
        return conditions
    }

    /// Returns the form of the answer to a request from a stored response; `nil` if only the server can provide what is requested.
    private static func form(of entry: HttpCacheEntry, for request: CacheRequest) -> CacheReuse.Form? {
        if entry.head.range != nil { return form(ofPart: entry, for: request) }
        guard (200...299).contains(entry.head.status) else { return .complete }
        if request.isConditional { return isUnchanged(entry, for: request) ? .notModified : .complete }
        guard request.method == .get, entry.head.status == 200, let range = request.fields[.range] else {
            return .complete
        }
        if let condition = request.fields[.ifRange], !matches(entry, ifRange: condition) { return .complete }
        if entry.head.fields[.acceptRanges] == "none" { return nil }
        guard case .part(let part) = ByteRange(range, of: entry.bodyLength) else { return nil }
        return .part(part)
    }

    /// Evaluates the caller's conditions (RFC 9110, sections 13.1.2 and 13.1.3; RFC 9111, section 4.3.2).
    static func isUnchanged(_ entry: HttpCacheEntry, for request: CacheRequest) -> Bool {
        let fields = entry.head.fields
        if request.fields.contains(.ifNoneMatch) {
            let tags = request.fields[values: .ifNoneMatch].flatMap(CacheDirectives.split).map { $0.trimmingBlanks() }
            if tags.contains("*") { return true }
            guard let stored = fields[values: .eTag].first else { return false }
            return tags.contains { EntityTag.matchesWeakly($0, stored) }
        }
        guard let since = CacheFreshness.date(request.fields, .ifModifiedSince, at: entry.head.responseTime) else {
            return false
        }
        let modified = CacheFreshness.date(fields, .lastModified, at: entry.head.responseTime)
        return (modified ?? entry.head.date) <= since
    }

    /// Evaluates `If-Range` (RFC 9110, section 13.1.5).
    static func matches(_ entry: HttpCacheEntry, ifRange condition: String) -> Bool {
        let fields = entry.head.fields
        if condition.hasPrefix("\"") || condition.hasPrefix("W/") {
            return fields[values: .eTag].first.map { EntityTag.matchesStrongly($0, condition) } ?? false
        }
        return fields[values: .lastModified].first == condition
    }
}

extension HttpCacheHead {
    /// The time at which the server created the response, or at which it was received.
    var date: Date { CacheFreshness.date(fields, .date, at: responseTime) ?? responseTime }
}
