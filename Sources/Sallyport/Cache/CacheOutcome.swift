import Foundation
import HTTPTypes
import SallyportTransport

/// The head of a response that the server sent, and the times of the exchange.
struct CacheResponse: Sendable, Hashable {
    let status: Int
    /// The fields as they were received.
    let fields: HTTPFields
    let requestTime: Date
    let responseTime: Date
}

/// The decision about a response that the server sent.
enum CacheOutcome: Sendable, Hashable {
    /// Returns the response, and stores it if it may be stored. Otherwise `problem` is the reason.
    case pass(storing: CacheVariant?, problem: String?)

    /// Returns the response, and replaces the head of a stored response.
    case passAndUpdate(HttpCacheEntry, head: HttpCacheHead)

    /// Returns the response, and removes a stored response, which it supersedes. It is not stored itself because of `problem`.
    case passAndRemove(HttpCacheEntry, problem: String?)

    /// Returns the stored response with a new head, and removes it afterwards if it must no longer be stored.
    case useUpdated(HttpCacheEntry, head: HttpCacheHead, isStillStored: Bool)

    /// Returns a stored part with the rest that the server has sent, with a new head, and stores it, unless `problem` is a reason not to.
    case combine(HttpCacheEntry, head: HttpCacheHead, problem: String?)

    /// Sends the request again without conditions, because the server confirmed or continued a response that is not stored.
    case sendUnconditionally(detail: String)

    /// Returns a stale response instead of the server's error.
    case fallBack(CacheReuse)
}

extension CacheRules {
    /// The statuses of a server that fails (RFC 5861, section 4).
    private static let failures: Set = [500, 502, 503, 504]

    /// Returns the decision about the response to a request that was sent.
    func outcome(
        of response: CacheResponse,
        to request: CacheRequest,
        _ forward: CacheForward
    ) -> CacheOutcome {
        if Self.failures.contains(response.status),
            let reuse = fallback(of: forward, for: request, at: response.responseTime)
        {
            return .fallBack(reuse)
        }
        if let beginning = forward.beginning, [206, 416].contains(response.status) {
            return combination(of: beginning, with: response, for: request)
        }
        if let entry = forward.entry, forward.reason != .bypass {
            if response.status == 304 { return validated(entry, by: response, to: request, forward) }
            if request.method == .head, response.status == 200, entry.head.status == 200 {
                let isSame = Self.describes(response.fields, sameBodyAs: entry)
                return isSame ? passing(entry, by: response, request) : .passAndRemove(entry, problem: nil)
            }
        }
        if !forward.mayStore { return .pass(storing: nil, problem: forward.detail) }
        let variant = CacheVariant(of: response.fields, status: response.status, to: request)
        let problem = storingProblem(of: response, to: request) ?? (variant == nil ? "vary" : nil)
        if let problem, let entry = forward.entry, forward.reason != .bypass,
            Self.supersedes(response.status, for: request)
        {
            return .passAndRemove(entry, problem: problem)
        }
        return .pass(storing: problem == nil ? variant : nil, problem: problem)
    }

    /// Returns `true` if a response with a status is the current one of its URL. An earlier one is then no longer used, even if the new one
    /// is not stored.
    private static func supersedes(_ status: Int, for request: CacheRequest) -> Bool {
        if request.method != .get || request.isConditional || request.fields.contains(.range) { return false }
        return (200...399).contains(status) && status != 304 || status == 404 || status == 410
    }

    /// Returns the decision about a response with status 304 (RFC 9111, section 4.3.3).
    private func validated(
        _ entry: HttpCacheEntry,
        by response: CacheResponse,
        to request: CacheRequest,
        _ forward: CacheForward
    ) -> CacheOutcome {
        if forward.conditions.isEmpty {
            // The 304 confirms the caller's copy. This copy is the stored response only if the 304 identifies it.
            guard response.fields.contains(.eTag), Self.confirms(response.fields, entry) else {
                return .pass(storing: nil, problem: nil)
            }
            return passing(entry, by: response, request)
        }
        guard Self.confirms(response.fields, entry) else {
            return .sendUnconditionally(detail: "etag-mismatch")
        }
        let head = updatedHead(of: entry, by: response, request)
        return .useUpdated(entry, head: head ?? entry.head.updated(by: response), isStillStored: head != nil)
    }

    /// Returns the decision about a response that is returned, and confirms a stored response.
    private func passing(
        _ entry: HttpCacheEntry,
        by response: CacheResponse,
        _ request: CacheRequest
    ) -> CacheOutcome {
        let head = updatedHead(of: entry, by: response, request)
        return head.map { .passAndUpdate(entry, head: $0) } ?? .passAndRemove(entry, problem: nil)
    }

    /// Returns the new head of a stored response that the server has confirmed; `nil` if it must no longer be stored.
    private func updatedHead(
        of entry: HttpCacheEntry,
        by response: CacheResponse,
        _ request: CacheRequest
    ) -> HttpCacheHead? {
        let head = entry.head.updated(by: response)
        guard let variant = CacheVariant(of: head.fields, status: head.status, to: request, range: head.range),
            variant.digest == head.variant
        else { return nil }
        // The fields of a response to one user become visible to others only if the server says so.
        if entry.key.partition == CachePartition.shared, !Self.isShared(response.fields, variant.names) { return nil }
        return storingProblem(of: head) == nil ? head : nil
    }

    /// Returns a Boolean value that indicates whether a 304 identifies a stored response (RFC 9111, section 4.3.4).
    private static func confirms(_ fields: HTTPFields, _ entry: HttpCacheEntry) -> Bool {
        let stored = entry.head.fields
        if let tag = fields[values: .eTag].first {
            // The server compares weakly as well, and a stored tag is weak if the body was decoded.
            return stored[values: .eTag].first.map { EntityTag.matchesWeakly(tag, $0) } ?? false
        }
        return !fields.contains(.lastModified) || fields[.lastModified] == stored[.lastModified]
    }

    /// Returns a Boolean value that indicates whether the response to a HEAD request describes a stored body (RFC 9111, section 4.3.5).
    private static func describes(_ fields: HTTPFields, sameBodyAs entry: HttpCacheEntry) -> Bool {
        [HTTPField.Name.eTag, .lastModified, .contentLength].allSatisfy { name in
            fields[name] == nil || entry.head.fields[name] == nil || fields[name] == entry.head.fields[name]
        }
    }

    /// Returns the reason why a response must not be stored (RFC 9111, section 3); `nil` if it may be stored.
    func storingProblem(of response: CacheResponse, to request: CacheRequest) -> String? {
        if request.method != .get { return "method" }
        let isPart = response.status == 206
        if isPart, !request.fields.contains(.range) || CachePart(response.fields, length: nil) == nil { return "range" }
        if !isPart, request.fields.contains(.range), response.status != 200 { return "range" }
        let head = HttpCacheHead(
            url: "",
            variant: "",
            status: response.status,
            fields: response.fields.withoutConnectionFields,
            requestTime: response.requestTime,
            responseTime: response.responseTime
        )
        return storingProblem(of: head)
    }

    /// Challenges and failed preconditions are never stored. The cache understands other final statuses.
    private static let excludedStatuses: Set = [304, 401, 407, 412, 416]

    private func storingProblem(of head: HttpCacheHead) -> String? {
        let directives = CacheDirectives(head.fields)
        let status = head.status
        if status < 200 || Self.excludedStatuses.contains(status) { return "status" }
        // A response with both directives may be stored by a cache that understands its status (RFC 9111, section 5.2.2.3).
        let isUnderstood = CacheFreshness.heuristicStatuses.contains(status) || [302, 303, 307].contains(status)
        if directives.contains("must-understand"), !isUnderstood { return "must-understand" }
        if directives.contains("no-store"), !directives.contains("must-understand") { return "no-store" }
        let isAllowed =
            CacheFreshness.heuristicStatuses.contains(status) || head.fields.contains(.expires)
            || ["public", "private", "max-age"].contains { directives.contains($0) }
        if !isAllowed { return "status" }
        if head.fields.contains(where: { !$0.isPolicy && Redaction.containsSecret($0) }) { return "secret-field" }
        let lifetime = CacheFreshness(head, directives, at: head.responseTime, heuristicLimit: heuristicLimit)
        let isUseful =
            lifetime.isFresh || head.fields.contains(.eTag) || head.fields.contains(.lastModified)
            || ["stale-while-revalidate", "stale-if-error"].contains { directives.contains($0) }
        return isUseful ? nil : "not-fresh"
    }

    /// Returns a Boolean value that indicates whether all users may receive a response: the server says so, and neither sets cookies nor
    /// selects the response by credentials.
    ///
    /// - Parameter names: The names of the request fields that select the response.
    static func isShared(_ fields: HTTPFields, _ names: [String]) -> Bool {
        let directives = CacheDirectives(fields)
        return directives.contains("public") && !directives.contains("private") && !directives.contains("no-cache")
            && !fields.contains(.setCookie)
            && !names.contains { HTTPField.Name($0).map(CachePartition.identifiesUser) ?? true }
    }
}

extension HttpCacheHead {
    /// The fields that describe the stored body, or that select the response, which a 304 does not change.
    private static let fixed: Set<HTTPField.Name> = [
        .contentEncoding, .contentLength, .contentRange, .contentType,
    ]

    /// Returns the head with the fields of a response that confirms it (RFC 9111, section 3.2).
    func updated(by response: CacheResponse) -> HttpCacheHead {
        var head = self
        let new = response.fields.withoutConnectionFields.filter { !Self.fixed.contains($0.name) }
        // The age counts from the new response, even if it has no Date or Age.
        let replaced = Set(new.map(\.name)).union([.age, .date])
        head.fields = HTTPFields(fields.filter { !replaced.contains($0.name) } + new)
        head.requestTime = response.requestTime
        head.responseTime = response.responseTime
        return head
    }
}

extension HTTPField {
    /// A Boolean value that indicates whether the field states a policy or a signature, which can contain the names of secrets, such as
    /// `otp-credentials=()`, but no secrets.
    fileprivate var isPolicy: Bool {
        [
            "content-security-policy", "content-security-policy-report-only", "permissions-policy", "signature",
            "signature-input",
        ].contains(name.canonicalName)
    }
}

extension HTTPFields {
    /// The fields that belong to a connection (RFC 9110, section 7.6.1), or to the session of one user.
    private static let unstored: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "authentication-info", "set-cookie",
        "set-cookie2", "dpop-nonce",
    ]

    /// The fields that a cache stores (RFC 9111, section 3.1): all except cookies and the fields of the connection.
    var withoutConnectionFields: HTTPFields {
        let named = self[values: .connection].flatMap { $0.split(separator: ",") }.map {
            $0.trimmingBlanks().lowercased()
        }
        let removed = Self.unstored.union(named)
        return HTTPFields(filter { !removed.contains($0.name.canonicalName) })
    }
}
