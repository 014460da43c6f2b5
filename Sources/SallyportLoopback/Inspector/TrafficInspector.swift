import NIOCore
import Sallyport

/// Shows the calls of a recorder on a page in the browser while they are made.
///
/// The page lists each call with its status, size, duration and phases, and shows its attempts, redirects, the changes that interceptors
/// made, headers and bodies. It is for an app under development:
///
/// ```swift
/// let recorder = TrafficRecorder()
/// let client = HttpClient.createClient { config in config.recorder = recorder }
/// try await TrafficInspector.withInspector(of: recorder) { inspector in
///     print("Traffic: \(inspector.url)")
///     try await runApp(with: client)
/// }
/// ```
///
/// It listens on 127.0.0.1 only. The URL contains a random token, so that other users and web pages cannot read the traffic; treat it as a
/// secret. In the iOS simulator, the page can be opened in a browser of the Mac. On a device, share the HAR file of
/// ``TrafficRecorder/archive()`` instead.
public struct TrafficInspector: Sendable {
    /// The URL of the page, such as `http://127.0.0.1:49152/3DkcaG…/`.
    public let url: String

    /// Runs a closure with an inspector, and closes its port before returning.
    ///
    /// - Parameters:
    ///   - recorder: The recorder of the calls to show.
    ///   - port: The port to listen on; 0 for any free port.
    ///   - body: The closure, which receives the inspector.
    /// - Throws: ``NetworkError/networkError(_:)`` if the port cannot be used, and the errors of the closure.
    public static func withInspector<Result: Sendable>(
        of recorder: TrafficRecorder,
        port: Int = 0,
        _ body: (TrafficInspector) async throws -> Result
    ) async throws -> Result {
        let server = InspectorServer(recorder)
        do {
            let result = try await body(TrafficInspector(url: try await server.start(on: port)))
            await server.close()
            return result
        } catch {
            await server.close()
            throw error
        }
    }

    /// Shows the calls of a recorder until the task is cancelled.
    ///
    /// ```swift
    /// #if DEBUG
    /// Task { try await TrafficInspector.run(recorder) { print("Traffic: \($0.url)") } }
    /// #endif
    /// ```
    ///
    /// - Parameters:
    ///   - recorder: The recorder of the calls to show.
    ///   - port: The port to listen on; 0 for any free port.
    ///   - onStart: A closure that is called when the page can be opened.
    /// - Throws: ``NetworkError/networkError(_:)`` if the port cannot be used.
    public static func run(
        _ recorder: TrafficRecorder,
        port: Int = 0,
        onStart: @Sendable (TrafficInspector) -> Void
    ) async throws {
        try await withInspector(of: recorder, port: port) { inspector in
            onStart(inspector)
            await waitForCancellation()
        }
    }

    /// Suspends until the task is cancelled.
    package static func waitForCancellation() async {
        // The continuation keeps the stream open.
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        continuation.finish()
    }
}
