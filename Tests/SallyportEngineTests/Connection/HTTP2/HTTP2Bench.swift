import Foundation
import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

/// A server of scripted frames without TLS, and an engine that uses HTTP/2 with prior knowledge.
struct HTTP2Bench: Sendable {
    struct Answer: Sendable {
        let response: TransportResponse
        let body: Data

        var status: Int { response.head.status.code }
        var text: String { String(decoding: body, as: UTF8.self) }

        subscript(name: String) -> String? { HTTPField.Name(name).flatMap { response.head.headerFields[$0] } }
    }

    let server: ScriptedHTTP2Server
    let engine: Engine

    /// Limits concurrency: otherwise calls would exceed the second that a body waits for `100 Continue`.
    private static let semaphore = AsyncSemaphore(4)

    /// Runs a closure with a server that plays one script for each connection.
    static func serve(
        _ scripts: HTTP2Script...,
        configuration: TransportConfiguration = TransportConfiguration(),
        within limit: Duration = .seconds(90),
        _ body: @escaping @Sendable (HTTP2Bench) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.httpVersions = .http2
        let engine = Engine(configuration: configuration)
        try await semaphore.withPermit {
            try await withDeadline(limit, "the test to end") {
                try await withScriptedHTTP2Server(scripts) { server in
                    defer { engine.close() }
                    try await body(HTTP2Bench(server: server, engine: engine))
                }
            }
        }
    }

    func request(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        timeouts: Timeouts = .patient
    ) -> TransportRequest {
        let head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: server.authority,
            path: path,
            headerFields: fields
        )
        return TransportRequest(head: head, body: body, timeouts: timeouts)
    }

    func answer(_ request: TransportRequest) async throws -> Answer {
        try await engine.send(request) { response in
            Answer(response: response, body: try await response.body.collect(upTo: 1 << 28))
        }
    }

    func answer(_ path: String = "/") async throws -> Answer { try await answer(request(.get, path)) }

    /// Makes a call, and expects "ok".
    func expectOK(_ path: String = "/", sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expectOK(request(.get, path), sourceLocation: sourceLocation)
    }

    /// Makes a call, and expects "ok".
    func expectOK(_ request: TransportRequest, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let answer = try await answer(request)
        #expect(answer.text == "ok", sourceLocation: sourceLocation)
    }

    /// Makes a number of concurrent calls, and expects each to succeed.
    func answers(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<count { group.addTask { try await answer("/\(number)").text } }
            for try await text in group { #expect(text == "ok", sourceLocation: sourceLocation) }
        }
    }

    /// Expects a call to fail with an error of a kind.
    @discardableResult
    func expectFailure(
        _ kinds: HTTP2FailureKind...,
        of request: TransportRequest? = nil,
        saying text: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> NetworkFailure? {
        do {
            let answer = try await answer(request ?? self.request())
            Issue.record("expected a failure, not the response \(answer)", sourceLocation: sourceLocation)
        } catch let error as NetworkError {
            #expect(kinds.contains(HTTP2FailureKind(error)), "\(error)", sourceLocation: sourceLocation)
            if let text { #expect("\(error)".contains(text), sourceLocation: sourceLocation) }
            return error.failure
        } catch {
            Issue.record("unexpected error: \(error)", sourceLocation: sourceLocation)
        }
        return nil
    }
}

/// The cases of `NetworkError` that these tests distinguish.
enum HTTP2FailureKind: Sendable {
    case connectionLost, incompleteBody, invalidResponse, responseTooLarge, timeout, cancelled, clientClosed
    case invalidRequest, tlsFailed, other

    init(_ error: NetworkError) {
        self =
            switch error {
            case .connectionLost: .connectionLost
            case .incompleteBody: .incompleteBody
            case .invalidResponse: .invalidResponse
            case .responseTooLarge: .responseTooLarge
            case .timeout: .timeout
            case .cancelled: .cancelled
            case .clientClosed: .clientClosed
            case .invalidRequest: .invalidRequest
            case .tlsFailed: .tlsFailed
            default: .other
            }
    }
}

extension RequestBody {
    /// Returns a body of a size, produced in pieces.
    static func produced(_ count: Int, piece: Int = 32_768) -> RequestBody {
        let chunks = AsyncStream<Data> { continuation in
            for start in stride(from: 0, to: count, by: piece) {
                continuation.yield(Data(repeating: 120, count: min(piece, count - start)))
            }
            continuation.finish()
        }
        return .stream(BodyStream(chunks))
    }
}
