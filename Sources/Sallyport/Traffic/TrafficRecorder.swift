import Foundation
import SallyportStorage
import SallyportTransport

/// Keeps the latest calls of clients in memory, with their attempts, redirects, bodies and times, and exports them as HAR 1.2.
///
/// ```swift
/// let recorder = TrafficRecorder()
/// let client = HttpClient.createClient { config in config.recorder = recorder }
/// // … after some calls:
/// try recorder.archive().data().write(to: file)
/// ```
///
/// Secrets are masked as in logs before anything is stored, and cookies always. Bodies are stored up to a limit if they are text that can
/// be searched for secrets: JSON, forms, XML, HTML and other text. Of other bodies, only the size and the type are stored.
///
/// A recorder is for development: recording takes time and memory for each call. Several clients can share one. `SallyportLoopback`
/// contains `TrafficInspector`, which shows the calls on a page in the browser while they are made.
public final class TrafficRecorder: Sendable {
    /// The amount of traffic that a recorder keeps. The oldest calls are removed first.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of calls. The default is 500.
        public var calls = 500
        /// The maximum size of all calls, in bytes. The default is 32 MiB.
        public var bytes = 32 << 20
        /// The maximum size of each body, in bytes. The default is 128 KiB. Of a longer text, the beginning is kept.
        public var bodyBytes = 128 << 10

        /// Creates the default limits.
        public init() {}
    }

    /// The recorder of clients that the current task creates, unless their configuration sets another one.
    @TaskLocal package static var ofNewClients: TrafficRecorder?

    private struct State: Sendable {
        /// The calls. Their identifiers are consecutive.
        var calls: [TrafficCall] = []
        var bytes = 0
        var nextID = 1
        /// The number of changes.
        var version = 0
    }

    /// The amount of traffic that is kept.
    public let limits: Limits
    private let state = Locked(State())

    /// Creates a recorder without calls.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The number of calls that are kept.
    public var count: Int { state.withLock { $0.calls.count } }

    /// Removes all calls.
    public func clear() {
        state.withLock { state in
            state.calls = []
            state.bytes = 0
            state.version += 1
        }
    }

    /// Returns the calls as HAR 1.2: an entry for each attempt and redirect, and a page for each call. Entries refer to the page of their
    /// call. A request that was refused before it was sent has an entry with the status 0, and the error as its comment.
    ///
    /// A masked JSON body may differ from the body that was sent in its length and the order of its members. `Content-Length` is the length
    /// of the recorded body, so that a program, such as mitmproxy, can replay the archive.
    public func archive() -> HttpArchive {
        let calls = state.withLock { $0.calls }
        let comment =
            "Secrets are masked. Each page is one call of the app; its entries are the attempts and redirects."
        return HttpArchive(
            pages: calls.filter { $0.error != nil || $0.attempts.contains { $0.entry != nil } }.map(\.page),
            entries: calls.flatMap(\.entries),
            comment: comment
        )
    }

    // MARK: Recording

    /// Adds a call that begins now.
    ///
    /// - Parameter purpose: The purpose of a request without an action that the SDK itself sends.
    func begin(_ request: HttpRequest, purpose: String? = nil) -> CallRecording {
        let (date, start) = (Date(), ContinuousClock.now)
        var masker = SecretMasker(style: .display)
        let archived = HttpArchive.Request(masking: request, bodyLimit: limits.bodyBytes, &masker)
        let id = state.withLock { state in
            let call = TrafficCall(
                id: state.nextID,
                action: request.action?.type.rawValue ?? purpose,
                started: date,
                request: archived
            )
            state.nextID += 1
            state.calls.append(call)
            return call.id
        }
        change(id) { _ in }
        return CallRecording(id, of: self, start: start, masker)
    }

    /// Changes a call, unless it has been removed.
    func change(_ id: Int, _ change: (inout TrafficCall) -> Void) {
        state.withLock { state in
            guard let first = state.calls.first?.id, id >= first else { return }
            let index = id - first
            state.version += 1
            state.bytes -= state.calls[index].size
            change(&state.calls[index])
            state.calls[index].version = state.version
            state.calls[index].size = state.calls[index].measuredSize
            state.bytes += state.calls[index].size
            while let oldest = state.calls.first, state.calls.count > limits.calls || state.bytes > limits.bytes {
                state.bytes -= oldest.size
                state.calls.removeFirst()
            }
        }
    }

    // MARK: Reading

    /// The calls that have changed since a version.
    package struct Changes: Sendable {
        /// The current version.
        package let version: Int
        /// The smallest identifier of the calls that are kept. Calls with smaller identifiers have been removed.
        package let first: Int
        package let calls: [TrafficCall]
    }

    /// Returns the calls that have changed since a version, which is 0 for all calls.
    package func changes(since version: Int) -> Changes {
        state.withLock { state in
            Changes(
                version: state.version,
                first: state.calls.first?.id ?? state.nextID,
                calls: state.calls.filter { $0.version > version }
            )
        }
    }
}
