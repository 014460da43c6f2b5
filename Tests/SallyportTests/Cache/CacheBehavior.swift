import Foundation
import HTTPTypes
import Sallyport
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

/// A behaviour of the cache: a response, the time that passes, a second request, and its outcome.
struct CacheBehavior: Sendable, CustomTestStringConvertible {
    /// The result of the second request.
    enum Outcome: Sendable {
        /// The stored response is returned, with its remaining lifetime.
        case hit(ttl: Int, detail: String? = nil, status: Int? = nil, body: String? = nil)
        /// The request is sent as it is, and the server's response is returned.
        case sent(HttpCacheStatus.Forward, detail: String? = nil)
        /// The request is sent with conditions, the server responds 304, and the stored response is returned.
        case validated(by: [String], HttpCacheStatus.Forward = .stale)
        /// The request is sent with conditions, and the server's other response is returned.
        case replaced(by: [String])
        /// The server fails, and the stored response is returned.
        case stale
        /// 504 is returned.
        case refused
    }

    /// An exchange between the two requests.
    struct Between: Sendable {
        var method = "GET"
        var path = "/resource"
        var request: [String] = []
        var status = 200
        var fields: [String] = []
        var body = "other"
    }

    /// The section, of RFC 9111 unless another one is named.
    let section: String
    let rule: String
    let stored: [String]
    var status = 200
    /// The fields of the first request.
    var firstRequest: [String] = []
    var between: Between?
    /// The seconds that pass before the second request.
    var after = 0
    var method = "GET"
    var path = "/resource"
    var request: [String] = []
    /// The status and the fields of the server's second response.
    var answer: (status: Int, fields: [String])?
    /// Fields that the returned response has, and names of fields that it does not have.
    var with: [String] = []
    var lacking: [String] = []
    let outcome: Outcome

    var testDescription: String { "\(section): \(rule)" }

    init(
        _ section: String,
        _ rule: String,
        _ stored: [String],
        status: Int = 200,
        firstRequest: [String] = [],
        between: Between? = nil,
        after: Int = 0,
        method: String = "GET",
        path: String = "/resource",
        request: [String] = [],
        answer: (status: Int, fields: [String])? = nil,
        with: [String] = [],
        lacking: [String] = [],
        _ outcome: Outcome
    ) {
        self.section = section
        self.rule = rule
        self.stored = stored
        self.status = status
        self.firstRequest = firstRequest
        self.between = between
        self.after = after
        self.method = method
        self.path = path
        self.request = request
        self.answer = answer
        self.with = with
        self.lacking = lacking
        self.outcome = outcome
    }
}

/// Returns the text of a date in seconds before or after the start of a ``CacheClock``.
func httpDate(_ seconds: Int) -> String { HttpDate.text(CacheClock.start.addingTimeInterval(TimeInterval(seconds))) }

/// A clock that a test advances.
final class CacheClock: Sendable {
    static let start = Date(timeIntervalSince1970: 784_111_777)

    private let passed = Locked<Int>(0)

    func advance(by seconds: Int) { passed.withLock { $0 += seconds } }

    var time: TimeSource {
        TimeSource(
            now: { .seconds(self.passed.withLock { $0 }) },
            date: { Self.start.addingTimeInterval(TimeInterval(self.passed.withLock { $0 })) },
            sleep: { try await Task.sleep(for: $0) }
        )
    }

    /// Returns a cache with this clock.
    func cache(_ storage: any HttpCacheStorage = MemoryCacheStorage(), user: String? = nil) -> HttpCache {
        var cache = HttpCache(storage: storage, user: user)
        cache.time = time
        return cache
    }
}

/// Returns the bytes of a response.
func rawResponse(_ status: Int, _ fields: [String], _ body: String, to method: String = "GET") -> String {
    var lines = ["HTTP/1.1 \(status) Status"] + fields
    let hasBody = status != 204 && status != 304
    if hasBody { lines.append("Content-Length: \(body.utf8.count)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + (hasBody && method != "HEAD" ? body : "")
}

extension HttpRequest {
    /// Creates a request with header lines.
    init(_ method: String, _ url: String, _ lines: [String]) {
        self.init(url: url)
        setMethod(method)
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            addHeader(name: String(parts[0]), value: parts[1].trimmingCharacters(in: .whitespaces))
        }
    }
}

extension CacheBehavior {
    /// Performs the requests, and checks the outcome of the last one.
    func check() async throws {
        var script: Script = [.receiveRequest, .send(rawResponse(status, stored, "first"))]
        if let between {
            let bytes = rawResponse(between.status, between.fields, between.body, to: between.method)
            script += [.receiveRequest, .send(bytes)]
        }
        let answer = answer ?? defaultAnswer
        script += [.receiveRequest, .send(rawResponse(answer.status, answer.fields, "second", to: method))]
        script += [.receiveRequest, .send(rawResponse(299, [], "unexpected"))]
        try await withScriptedServer([script]) { server in
            let clock = CacheClock()
            let client = HttpClient.createClient { config in
                config.cache = clock.cache()
                config.cookieJar = nil
            }
            defer { client.close() }
            let origin = "http://\(server.authority)"
            func fill(_ lines: [String]) -> [String] {
                lines.map { $0.replacingOccurrences(of: "ORIGIN", with: origin) }
            }
            _ = try await client.request(request: HttpRequest("GET", origin + "/resource", firstRequest))
            if let between {
                let url = origin + between.path
                _ = try await client.request(request: HttpRequest(between.method, url, fill(between.request)))
            }
            clock.advance(by: after)
            let response = try await client.request(request: HttpRequest(method, origin + path, fill(request)))
            check(response, server.requests)
        }
    }

    private var defaultAnswer: (status: Int, fields: [String]) {
        if case .validated = outcome { return (304, []) }
        return (200, [])
    }

    private func check(_ response: HttpResponse, _ requests: [ReceivedRequest]) {
        let status = response.cacheStatus
        let earlier = between == nil ? 1 : 2
        let sent = requests.count > earlier ? requests.last : nil
        var body = "first"
        switch outcome {
        case .hit(let ttl, let detail, let code, let text):
            #expect(requests.count == earlier)
            #expect(status?.isHit == true && status?.timeToLive == ttl, "\(String(describing: status))")
            #expect(status?.detail == detail)
            #expect(response.status.code == code ?? self.status)
            body = text ?? (self.status == 204 || method == "HEAD" ? "" : body)
        case .sent(let reason, let detail):
            #expect(requests.count == earlier + 1)
            #expect(status?.forward == reason, "\(String(describing: status))")
            if let detail { #expect(status?.detail == detail) }
            #expect(conditions(of: sent) == conditionsOfApp)
            #expect(response.status.code == answer?.status ?? 200)
            body = response.status == .notModified || method == "HEAD" ? "" : "second"
        case .validated(let conditions, let reason):
            #expect(requests.count == earlier + 1)
            #expect(status?.forward == reason && status?.forwardStatus == 304, "\(String(describing: status))")
            #expect(self.conditions(of: sent) == conditions)
            #expect(response.status.code == self.status)
        case .replaced(let conditions):
            #expect(requests.count == earlier + 1)
            #expect(status?.forward == .stale, "\(String(describing: status))")
            #expect(self.conditions(of: sent) == conditions)
            #expect(response.status.code == answer?.status ?? 200)
            body = "second"
        case .stale:
            #expect(requests.count == earlier + 1)
            #expect(status?.forward == .stale && status?.detail == "stale-if-error", "\(String(describing: status))")
            #expect(response.status.code == self.status)
        case .refused:
            #expect(requests.count == earlier)
            #expect(response.status == .gatewayTimeout)
            #expect(status?.isHit == false && status?.forward == nil, "\(String(describing: status))")
            body = ""
        }
        #expect(response.bodyAsString() == body)
        for field in with {
            let parts = field.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(response.getCombinedHeader(name: parts[0]) == parts[1], "\(parts[0])")
        }
        for name in lacking { #expect(response.getHeaders(name: name).isEmpty, "\(name)") }
    }

    private var conditionsOfApp: [String] {
        request.filter { $0.hasPrefix("If-None-Match") || $0.hasPrefix("If-Modified-Since") }
    }

    private func conditions(of request: ReceivedRequest?) -> [String] {
        ["If-None-Match", "If-Modified-Since"].flatMap { name in
            (request?[name] ?? []).map { "\(name): \($0)" }
        }
    }
}
