import Foundation
import SallyportTransport

/// A call that a ``TrafficRecorder`` keeps, with its secrets masked.
package struct TrafficCall: Sendable, Encodable {
    package let id: Int
    /// The purpose of a request that the SDK itself sent, such as an action or a validation of the cache.
    package let action: String?
    package let started: Date
    /// The request as the app built it.
    package let request: HttpArchive.Request
    package internal(set) var attempts: [TrafficAttempt] = []
    /// The number of attempts after those that the trace records.
    package internal(set) var furtherAttempts = 0
    /// The status of the response that the app received.
    package internal(set) var status: Int?
    package internal(set) var error: String?
    /// The duration in milliseconds; `nil` while the call or the body of its response is not complete.
    package internal(set) var duration: Double?

    /// The version of the recorder when the call was last changed.
    var version = 0
    /// The approximate memory in bytes.
    var size = 0

    init(id: Int, action: String?, started: Date, request: HttpArchive.Request) {
        self.id = id
        self.action = action
        self.started = started
        self.request = request
    }

    private enum CodingKeys: String, CodingKey {
        case id, action, started, request, attempts, furtherAttempts, status, error, duration
    }
}

/// An attempt of a recorded call: the first, or one for a redirect, a retry or a challenge.
package struct TrafficAttempt: Sendable, Encodable {
    /// The changes of the stages to the request since the previous attempt.
    package internal(set) var stages: [InterceptorTrace.Stage] = []
    /// The time since the start of the call, in milliseconds.
    package internal(set) var start: Double?
    /// The exchange; `nil` if the request has not been sent, or not yet.
    package internal(set) var entry: HttpArchive.Entry?
    /// A Boolean value that indicates whether the exchange has ended.
    package internal(set) var isComplete = false
    /// The stage that returned a response without sending the request.
    package internal(set) var answeredBy: String?
    package internal(set) var cacheStatus: String?
    package internal(set) var isReused: Bool?
    package internal(set) var tlsVersion: String?
    package internal(set) var cipherSuite: String?
    package internal(set) var keyExchange: String?
    /// The URL of the proxy, without its user and password.
    package internal(set) var proxy: String?
    package internal(set) var error: String?
}

extension TrafficCall {
    /// Adds what the stages have recorded.
    mutating func merge(_ trace: InterceptorTrace) {
        for (index, traced) in trace.attempts.enumerated() {
            if index == attempts.count { attempts.append(TrafficAttempt()) }
            attempts[index].stages = traced.stages
            attempts[index].answeredBy = traced.answeredBy
            attempts[index].cacheStatus = traced.cacheStatus.map { "\($0)" }
        }
        furtherAttempts = trace.furtherAttempts
    }

    /// A Boolean value that indicates whether a response is still being received.
    var isReceiving: Bool { attempts.contains { $0.entry != nil && !$0.isComplete } }

    /// The approximate memory in bytes.
    var measuredSize: Int {
        attempts.reduce(1_000 + request.size + (error?.utf8.count ?? 0)) { sum, attempt in
            let changes = attempt.stages.reduce(0) { $0 + 100 + $1.changes.count * 400 }
            let exchange = attempt.entry.map { $0.request.size + $0.response.size }
            return sum + 1_000 + changes + (exchange ?? 0) + (attempt.error?.utf8.count ?? 0)
        }
    }
}

// MARK: HAR

extension TrafficCall {
    private var pageID: String { "call-\(id)" }

    /// The call as a page of an archive.
    var page: HttpArchive.Page {
        let title = "\(request.method) \(request.url)" + (action.map { " (\($0))" } ?? "")
        return HttpArchive.Page(
            id: pageID,
            title: title,
            startedDateTime: started,
            onLoad: duration,
            comment: error
        )
    }

    /// The exchanges as entries of an archive. A request that was refused before it was sent has an entry without a response.
    var entries: [HttpArchive.Entry] {
        if let error, !attempts.contains(where: { $0.entry != nil }) { return [refused(error)] }
        return attempts.enumerated().compactMap { index, attempt in
            guard var entry = attempt.entry else { return nil }
            let changes = attempt.stages.flatMap(\.lines)
            let notes = [
                attempts.count > 1 ? "attempt \(index + 1) of \(attempts.count)" : nil,
                attempt.answeredBy.map { "answered by \($0), and not sent" },
                attempt.cacheStatus, attempt.error,
            ]
            entry.pageref = pageID
            if entry.request.method != "HEAD" { entry.response.adaptContentLength() }
            entry.comment = (notes.compactMap(\.self) + changes).joined(separator: "\n")
            if entry.comment?.isEmpty == true { entry.comment = nil }
            return entry
        }
    }

    /// Returns the entry of a request that was not sent.
    private func refused(_ error: String) -> HttpArchive.Entry {
        var entry = HttpArchive.Entry(
            startedDateTime: started,
            time: duration ?? 0,
            request: request,
            response: HttpArchive.Response(status: 0, httpVersion: "")
        )
        entry.pageref = pageID
        entry.comment = (["not sent", error] + attempts.flatMap(\.stages).flatMap(\.lines)).joined(separator: "\n")
        return entry
    }
}

extension InterceptorTrace.Stage {
    fileprivate var lines: [String] { ["@ \(name)"] + changes.map(\.description) }
}

extension HttpArchive.Request {
    fileprivate var size: Int {
        url.utf8.count * 2 + headers.size + (postData?.text?.utf8.count ?? 0)
    }
}

extension HttpArchive.Response {
    /// Makes `Content-Length` agree with the recorded body, which may be masked or missing, so that programs can replay the response.
    fileprivate mutating func adaptContentLength() {
        guard let index = headers.firstIndex(where: { $0.name.lowercased() == "content-length" }) else { return }
        headers[index].value = "\(content.data?.count ?? 0)"
    }

    fileprivate var size: Int { headers.size + (content.text?.utf8.count ?? 0) }
}

extension [HttpArchive.Field] {
    fileprivate var size: Int { reduce(0) { $0 + 50 + $1.name.utf8.count + $1.value.utf8.count } }
}
