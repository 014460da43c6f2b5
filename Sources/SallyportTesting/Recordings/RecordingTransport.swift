import Foundation
import HTTPTypes
import Sallyport
import SallyportStorage
import SallyportTransport

/// A transport for tests that records real calls in a file once, and replays them afterwards without a network.
///
/// The file is an archive in the format HAR 1.2. It is meant to be committed with the test: it is indented, its bodies are readable if they
/// are text, and secrets are masked before anything is stored. The archive of a browser or proxy can be replayed too.
///
/// In a test, use the trait `.recording("name")` of the library `SallyportTestTraits`, or ``withRecording(_:filePath:isolation:configure:_:)``,
/// which also call ``finish()``:
///
/// ```swift
/// @Test(.recording("users")) func userHasName() async throws {
///     let client = try HttpClient.createClient { config in
///         config.transport = try RecordingTransport.current
///     }
///     let response = try await client.request { request in request.url = "https://api.example.com/users/7" }
///     #expect(response.bodyAsString().contains("John Doe"))
/// }
/// ```
///
/// Each attempt of a call and each redirect is a recorded call. Each is replayed once, and equal calls in the recorded order. Calls that fail
/// without a response are not recorded; use a ``MockTransport`` to simulate failures. Informational responses, trailer fields and the
/// duration of calls are not replayed, and pins are checked only while recording.
public final class RecordingTransport: PinningTransport {
    private enum Work: Sendable {
        case record(ExchangeRecorder, upstream: any Transport, isOwn: Bool)
        case replay(ExchangeReplay)
    }

    private struct State: Sendable {
        var isClosed = false
        var isFinished = false
    }

    /// The file of the recording.
    public let file: URL
    private let options: RecordingOptions
    private let work: Work
    private let state = Locked(State())

    /// Creates a transport that records calls or replays them, depending on its mode and on whether the file exists.
    ///
    /// - Parameters:
    ///   - file: The file. Its folder is created when the recording is written.
    ///   - configure: A closure that changes the settings.
    /// - Throws: ``RecordingError`` if the file is required and does not exist, or if it is not a readable HAR file.
    public init(file: URL, configure: (inout RecordingOptions) -> Void = { _ in }) throws(RecordingError) {
        var options = RecordingOptions()
        configure(&options)
        self.file = file
        self.options = options
        let mode = try options.mode.resolved()
        if mode != .all, let calls = try RecordingFile.read(file, upTo: options.maximumFileSize) {
            work = .replay(ExchangeReplay(calls, file: file.lastPathComponent, options))
        } else if mode == .none {
            throw .missingFile(path: file.path)
        } else {
            let upstream = options.transport ?? defaultTransport(TransportConfiguration())
            work = .record(ExchangeRecorder(options), upstream: upstream, isOwn: options.transport == nil)
        }
    }

    /// A Boolean value that indicates whether calls are sent and recorded, instead of replayed.
    public var isRecording: Bool {
        if case .record = work { true } else { false }
    }

    /// The calls of the test without a recorded call, and the recorded calls that were not used. Empty while recording.
    public var mismatches: [RecordingMismatch] {
        if case .replay(let replay) = work { replay.mismatches } else { [] }
    }

    /// Writes the recorded calls to the file and closes the transport, or checks that all calls and recorded calls match.
    ///
    /// If the body of a response has not been read to its end, only the part that was read is recorded. Further calls of this method do
    /// nothing.
    ///
    /// - Throws: ``RecordingError/mismatches(_:)``, or ``RecordingError/unwritableFile(path:reason:)``.
    public func finish() async throws(RecordingError) {
        let wasFinished = state.withLock { state in
            defer { state = State(isClosed: true, isFinished: true) }
            return state.isFinished
        }
        if wasFinished { return }
        switch work {
        case .record(let recorder, upstream: _, isOwn: _):
            // Before responses that are still being read are ended.
            let calls = recorder.maskedCalls
            let file = file
            close()
            try await runBlocking { () throws(RecordingError) in try RecordingFile.write(calls, to: file) }
        case .replay(let replay):
            if !replay.mismatches.isEmpty { throw .mismatches(replay.mismatches) }
        }
    }

    /// Sends and records a request, or replays the response of the recorded request that matches it.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if no recorded request matches, with the closest one and its differences. It is not
    ///   retried. ``NetworkError/responseTooLarge(_:)`` if a body is longer than ``RecordingOptions/maximumBodySize``.
    public func send(
        _ request: TransportRequest,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        try await send(request, in: scope, by: nil)
    }

    /// - Parameter pinned: The transport that sends requests while recording; `nil` for the one of the recording.
    fileprivate func send(
        _ request: TransportRequest,
        in scope: ExchangeScope,
        by pinned: (any Transport)?
    ) async throws(NetworkError) -> TransportResponse {
        if state.withLock({ $0.isClosed }) {
            throw .clientClosed("the recording \(file.lastPathComponent) is finished")
        }
        switch work {
        case .record(let recorder, upstream: let upstream, isOwn: _):
            return try await recorder.send(request, in: scope, by: pinned ?? upstream)
        case .replay(let replay): return try await replay.response(to: request, in: scope)
        }
    }

    /// Returns a transport that shares this recording, and checks pins while calls are recorded.
    public func adding(_ pins: CertificatePins) -> any PinningTransport {
        guard case .record(_, upstream: let upstream as any PinningTransport, isOwn: _) = work else {
            return PinnedRecording(recording: self, upstream: nil)
        }
        return PinnedRecording(recording: self, upstream: upstream.adding(pins))
    }

    /// Closes the transport without writing the recorded calls.
    public func close() {
        state.withLock { $0.isClosed = true }
        if case .record(_, upstream: let upstream, isOwn: true) = work { upstream.close() }
    }

    /// Refuses further calls, and waits for the running ones.
    public func shutdown(grace: Duration) async {
        state.withLock { $0.isClosed = true }
        if case .record(_, upstream: let upstream, isOwn: true) = work { await upstream.shutdown(grace: grace) }
    }
}

/// A transport with pins that shares a recording.
private struct PinnedRecording: PinningTransport {
    let recording: RecordingTransport
    /// The transport with the pins, which sends requests; `nil` while replaying, or if the transport does not support pins.
    let upstream: (any PinningTransport)?

    func adding(_ pins: CertificatePins) -> any PinningTransport {
        PinnedRecording(recording: recording, upstream: upstream?.adding(pins))
    }

    func send(
        _ request: TransportRequest,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        guard let upstream else {
            if recording.isRecording {
                throw .invalidRequest("the transport of the recording does not support pins, so nothing was sent")
            }
            return try await recording.send(request, in: scope)
        }
        return try await recording.send(request, in: scope, by: upstream)
    }

    func close() { upstream?.close() }

    func shutdown(grace: Duration) async { await upstream?.shutdown(grace: grace) }
}

// MARK: The current recording

extension RecordingTransport {
    @TaskLocal private static var bound: RecordingTransport?

    /// The recording of the current test; see ``withRecording(_:filePath:isolation:configure:_:)`` and the trait `.recording("name")`.
    ///
    /// - Throws: ``RecordingError/noRecording`` if there is none, so that no test sends requests by mistake.
    public static var current: RecordingTransport {
        get throws(RecordingError) {
            guard let bound else { throw .noRecording }
            return bound
        }
    }

    /// Runs a closure with this recording as ``current``.
    package func bind<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await Self.$bound.withValue(self) { try await body() }
    }
}

/// Runs a closure with a recording, and checks afterwards that all its calls were used.
///
/// It is meant for XCTest and for tests with arguments. Other tests use the trait `.recording("name")`.
///
/// ```swift
/// try await withRecording("users") { transport in
///     let client = HttpClient.createClient { config in config.transport = transport }
///     let response = try await client.request { request in request.url = "https://api.example.com/users/7" }
///     XCTAssertEqual(response.status, .ok)
/// }
/// ```
///
/// - Parameters:
///   - name: The name of the file without its extension, in the folder `Recordings` beside the source file. It may be a path below it.
///   - filePath: The path of the source file.
///   - isolation: The isolation of the caller and the closure.
///   - configure: A closure that changes the settings.
///   - body: Makes calls. If it throws while calls are recorded, nothing is stored.
/// - Returns: The value that `body` returns.
/// - Throws: The error of `body`, or ``RecordingError``.
public func withRecording<Result>(
    _ name: String,
    filePath: String = #filePath,
    isolation: isolated (any Actor)? = #isolation,
    configure: (inout RecordingOptions) -> Void = { _ in },
    _ body: (RecordingTransport) async throws -> Result
) async throws -> Result {
    let file = try RecordingFile.url(name, besideSource: filePath)
    let transport = try RecordingTransport(file: file, configure: configure)
    defer { transport.close() }
    let result = try await transport.bind { try await body(transport) }
    try await transport.finish()
    return result
}
