import Foundation
import HTTPTypes
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A validated request for `URLSession`.
struct SessionRequest: Sendable {
    /// The origin of the request.
    let origin: Origin

    private let request: URLRequest
    private let body: RequestBody

    /// Validates a request.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if `URLSession` cannot send it.
    init(_ request: TransportRequest, configuration: TransportConfiguration) throws(NetworkError) {
        let head = request.head
        let origin = try head.checkForTransport()
        body = try Self.check(request.body, of: head)
        if head.path == "*" {
            throw .unsupported("URLSession cannot send the request target *", instead: "use the engine")
        }
        if request.trailers != nil {
            throw .unsupported("URLSession cannot send trailers", instead: "send them as headers, or use the engine")
        }
        if let coding = configuration.contentCodings.first {
            throw .unsupported(
                "URLSession decodes bodies itself and does not support the content coding \(coding.name)",
                instead: "leave contentCodings empty, or use the engine"
            )
        }
        let text = "\(origin.scheme.rawValue)://\(head.authority ?? "")\(head.path ?? "")"
        guard let url = URL(string: text), url.host != nil, url.absoluteString == text else {
            throw .invalidRequest("Foundation does not accept the URL of the request, or would change it")
        }
        if configuration.addressOverrides.contains(where: { $0.applies(to: origin) }) {
            let reason = "URLSession does not support address overrides, such as for \(origin.host)"
            throw .unsupported(reason, instead: "use the engine")
        }
        // Without TLS, URLSession always uses HTTP/1.1.
        let isAlwaysUsed = origin.scheme == .http && configuration.httpVersions == .http1
        guard configuration.httpVersions == .automatic || isAlwaysUsed else {
            throw .unsupported("URLSession selects the HTTP version itself", instead: "use the engine")
        }
        if let path = configuration.unixSocketPath {
            throw .unsupported("URLSession cannot connect to the Unix socket \(path)", instead: "use the engine")
        }
        if configuration.observer != nil {
            throw .unsupported(
                "URLSession does not report its connections to an observer",
                instead: "remove the observer from the transport's configuration, or use the engine"
            )
        }
        try Self.check(request.timeouts)
        guard configuration.proxy == .direct else {
            let advice = "use the engine, or set the proxy in the system's settings"
            let reason = "URLSession uses the system's proxies and does not support a configured proxy"
            throw .unsupported(reason, instead: advice)
        }
        guard head.headerFields[.proxyAuthorization] == nil else {
            let advice = "remove Proxy-Authorization, or use the engine"
            throw .unsupported("URLSession authenticates to the system's proxies itself", instead: advice)
        }
        if request.requiresSecureTransport, origin.scheme == .http, !origin.isLoopback {
            throw .cleartext(to: origin)
        }
        try configuration.security.checkForSession(calling: origin)

        var session = URLRequest(url: url)
        session.httpMethod = head.method.rawValue
        session.timeoutInterval = URLSessionConfiguration.longestTimeout
        session.httpShouldHandleCookies = false
        for field in head.headerFields where field.name != .contentLength {
            session.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        if !configuration.decodesContent, head.headerFields[.acceptEncoding] == nil {
            session.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        if request.expectsContinue, !body.isNone { session.setValue("100-continue", forHTTPHeaderField: "Expect") }
        self.request = session
        self.origin = origin
    }

    /// The kinds of body that a session's task can send.
    enum Source: Sendable {
        case none
        case data(Data)
        case file(URL)
    }

    /// Returns the body in a form that a task can send. A stream is written to a file first.
    func source(for exchange: URLSessionExchange) async throws(NetworkError) -> Source {
        switch body {
        case .none:
            return .none
        case .data(let data):
            exchange.expectToSend(Int64(data.count))
            return .data(data)
        case .file(let url):
            exchange.expectToSend(try body.length() ?? 0)
            return try .reading(url)
        case .stream(let stream):
            return try .reading(try await exchange.spool(stream))
        }
    }

    /// Creates the task for the request.
    func makeTask(from source: Source, in session: URLSession) -> URLSessionTask {
        switch source {
        case .none: session.dataTask(with: request)
        case .data(let data): session.uploadTask(with: request, from: data)
        case .file(let url): session.uploadTask(with: request, fromFile: url)
        }
    }

    /// Checks that no phase of a new connection has a timeout of its own, as the session does not report these phases.
    ///
    /// The timeouts for the head and the total include these phases, and replace their defaults and all timeouts that are as long.
    private static func check(_ timeouts: Timeouts) throws(NetworkError) {
        let standard = Timeouts()
        let phases = [
            ("queue", timeouts.queue, standard.queue), ("resolve", timeouts.resolve, standard.resolve),
            ("connect", timeouts.connect, standard.connect), ("tls", timeouts.tls, standard.tls),
        ]
        let limit = [timeouts.total, timeouts.head].compactMap(\.self).min()
        for (name, timeout, standard) in phases {
            guard let timeout, timeout != standard, limit.map({ timeout < $0 }) ?? true else { continue }
            throw .unsupported(
                "URLSession does not support the timeout \(name) of \(Quantity.time(timeout))",
                instead: "limit the call by the timeouts total, head and idle, or use the engine"
            )
        }
    }

    private static func check(_ body: RequestBody, of head: HTTPRequest) throws(NetworkError) -> RequestBody {
        let length = try body.length()
        if let declared = head.headerFields[.contentLength], declared != length.map(String.init) {
            throw .invalidRequest("Content-Length is \"\(declared)\", which is not the length of the body")
        }
        if length == 0 { return [.post, .put, .patch].contains(head.method) ? .data(Data()) : .none }
        if head.method == .trace {
            throw .invalidRequest("a TRACE request must not have a body (RFC 9110, section 9.3.8)")
        }
        if head.method == .get || head.method == .head {
            throw .unsupported("URLSession cannot send a body with \(head.method)", instead: "use POST, or the engine")
        }
        return body
    }
}

extension RequestBody {
    fileprivate var isNone: Bool {
        if case .none = self { return true }
        return false
    }

    /// The number of bytes, if it is known in advance.
    fileprivate func length() throws(NetworkError) -> Int64? {
        switch self {
        case .none: return 0
        case .data(let data): return Int64(data.count)
        case .stream(let stream): return stream.length
        case .file(let url):
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
            guard let attributes, FileManager.default.isReadableFile(atPath: url.path) else {
                throw .invalidRequest(NetworkFailure("the file \(url.path) cannot be read"))
            }
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw .invalidRequest(NetworkFailure("\(url.path) is not a file"))
            }
            return (attributes[.size] as? NSNumber)?.int64Value
        }
    }
}

extension NetworkError {
    /// Returns the error for a request or setting that `URLSession` does not support.
    static func unsupported(_ reason: String, instead advice: String) -> NetworkError {
        .invalidRequest(NetworkFailure(reason, advice: advice))
    }
}
