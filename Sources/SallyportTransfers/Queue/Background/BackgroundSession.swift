#if canImport(Darwin)
import Foundation
import HTTPTypes
import Sallyport
import SallyportStorage
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Performs a queue's transfers with a background `URLSession`: the system continues them while the app is suspended,
/// and relaunches the app when they end.
///
/// ```swift
/// let session = BackgroundSession(identifier: "com.example.app.transfers") { request in
///     request.setValue("Bearer …", forHTTPHeaderField: "Authorization")
/// }
/// let queue = try TransferQueue(folder: folder, background: session)
/// ```
///
/// Create one session for each identifier whenever your app launches, and run the queue. In your app delegate, pass the
/// completion handler of `handleEventsForBackgroundURLSession` to ``handleEvents(_:)``.
public final class BackgroundSession: NSObject, Sendable {
    private struct State {
        var waiting: [String: AsyncStream<TransferProgress>.Continuation] = [:]
        var bodies: [Int: Data] = [:]
        var problems: [Int: String] = [:]
        var onEventsHandled: (@MainActor () -> Void)?
    }

    private let prepare: @Sendable (inout URLRequest) async throws -> Void
    private let identifier: String
    private let state = Locked(State())
    private let session = Locked<URLSession?>(nil)

    /// Creates a session, or reconnects to a session with the same identifier that an earlier process created.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the system's background session.
    ///   - prepare: A closure that adds the headers that the queue must not store on the disk, such as `Authorization`,
    ///     to each request.
    public init(identifier: String, prepare: @escaping @Sendable (inout URLRequest) async throws -> Void = { _ in }) {
        self.identifier = identifier
        self.prepare = prepare
        super.init()
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.httpCookieStorage = nil
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session.withLock { $0 = URLSession(configuration: configuration, delegate: self, delegateQueue: queue) }
    }

    /// Sets the handler that tells the system that all events have been handled. It is called on the main actor.
    ///
    /// ```swift
    /// session.handleEvents { completionHandler() }
    /// ```
    ///
    /// - Parameter completionHandler: The completion handler of `handleEventsForBackgroundURLSession`.
    public func handleEvents(_ completionHandler: @escaping @MainActor () -> Void) {
        state.withLock { $0.onEventsHandled = completionHandler }
    }

    /// Ends the session as soon as its tasks have ended. It performs no further transfers.
    ///
    /// The system holds a reference to a session until it is invalidated.
    public func invalidate() {
        session.withLock { session in
            session?.finishTasksAndInvalidate()
            session = nil
        }
    }

    private func tasks() async -> [(task: URLSessionTask, job: BackgroundJob)] {
        let all = await session.withLock { $0 }?.allTasks ?? []
        return all.compactMap { task in BackgroundJob(task.taskDescription).map { (task, $0) } }
    }

    /// Starts a task, unless an earlier process has started it.
    private func begin(_ job: TransferJob, _ background: BackgroundJob) async throws {
        if await tasks().contains(where: { $0.job.key == job.key }) { return }
        var (request, body) = try await request(for: job)
        try await prepare(&request)
        guard let session = session.withLock({ $0 }) else {
            throw NetworkError.clientClosed("the background session was invalidated")
        }
        let task: URLSessionTask =
            if let body { session.uploadTask(with: request, fromFile: body) } else {
                session.downloadTask(with: request)
            }
        task.taskDescription = background.text
        task.resume()
    }

    private func request(for job: TransferJob) async throws -> (URLRequest, body: URL?) {
        var prepared = job.transfer.plainRequest
        var body: URL?
        if case .upload(let upload) = job.transfer.work {
            (prepared, body) = (job.uploadRequest(upload), job.journal.appendingPathExtension("body"))
        }
        guard let request = URLRequest(try prepared.head()) else {
            throw TransferError(.mismatch("\(prepared): the system does not accept its URL"))
        }
        switch prepared.body {
        case .file(let file): body = file
        case .stream(let stream):
            guard let body else { break }
            // The system uploads only files.
            _ = FileManager.default.createFile(atPath: body.path, contents: nil, attributes: [.posixPermissions: 0o600])
            let handle = try FileHandle(forWritingTo: body)
            defer { try? handle.close() }
            try await stream.forEachChunk { chunk in try handle.write(contentsOf: chunk) }
        case .none, .data: break
        }
        return (request, body)
    }
}

extension BackgroundSession: TransferRunner {
    /// Starts a transfer, or observes the one in progress. Cancelling the task ends the observation, not the transfer.
    package func attempt(
        _ job: TransferJob,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome {
        let background = BackgroundJob(job)
        let (events, continuation) = AsyncStream.makeStream(of: TransferProgress.self)
        state.withLock { $0.waiting[job.key] = continuation }
        defer { state.withLock { $0.waiting[job.key] = nil } }
        if let outcome = try background.outcome() { return outcome }
        do {
            try await begin(job, background)
        } catch let error as TransferError {
            throw error
        } catch {
            let reason = "the system did not start the transfer"
            throw TransferError(.network(NetworkError(wrapping: error, reason: reason)))
        }
        for await progress in events { report(progress) }
        if let outcome = try background.outcome() { return outcome }
        throw TransferError(.network(.cancelled("the system continues the transfer")))
    }

    package func stop(_ job: TransferJob) async {
        for (task, other) in await tasks() where other.key == job.key { task.cancel() }
    }

    package func stopAll(except keys: Set<String>) async {
        for (task, job) in await tasks() where !keys.contains(job.key) { task.cancel() }
    }
}

extension BackgroundSession: URLSessionDownloadDelegate, URLSessionDataDelegate {
    /// Moves the file, which the system removes once this returns.
    public func urlSession(_: URLSession, downloadTask task: URLSessionDownloadTask, didFinishDownloadingTo file: URL) {
        guard let job = BackgroundJob(task.taskDescription), let response = task.response as? HTTPURLResponse,
            (200..<300).contains(response.statusCode)
        else { return }
        do throws(TransferError) {
            try job.accept(file, suggestion: response.suggestedFilename)
        } catch {
            state.withLock { $0.problems[task.taskIdentifier] = error.description }
        }
    }

    /// Reports the progress of a download.
    public func urlSession(
        _: URLSession,
        downloadTask task: URLSessionDownloadTask,
        didWriteData _: Int64,
        totalBytesWritten bytes: Int64,
        totalBytesExpectedToWrite total: Int64
    ) {
        report(task, bytes, total)
    }

    /// Reports the progress of an upload.
    public func urlSession(
        _: URLSession,
        task: URLSessionTask,
        didSendBodyData _: Int64,
        totalBytesSent bytes: Int64,
        totalBytesExpectedToSend total: Int64
    ) {
        report(task, bytes, total)
    }

    /// Appends a chunk of the response to an upload.
    public func urlSession(_: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data) {
        state.withLock { state in
            let remaining = QueueFormat.maximumResponseSize - state.bodies[task.taskIdentifier, default: Data()].count
            state.bodies[task.taskIdentifier, default: Data()] += data.prefix(max(remaining, 0))
        }
    }

    /// Stores the outcome of a transfer, and ends the wait of the queue.
    public func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let job = BackgroundJob(task.taskDescription) else { return }
        let (body, problem) = state.withLock { state in
            (
                state.bodies.removeValue(forKey: task.taskIdentifier),
                state.problems.removeValue(forKey: task.taskIdentifier)
            )
        }
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        let isCancelled = (error as? URLError)?.code == .cancelled
        let isFetched = job.staging != nil && error == nil && problem == nil && (200..<300).contains(status)
        if !isCancelled, !isFetched {
            // If this cannot be written, the transfer is performed again.
            try? job.store(
                BackgroundJob.StoredOutcome(
                    status: status,
                    body: body ?? Data(),
                    problem: problem ?? error?.localizedDescription
                )
            )
        }
        state.withLock { $0.waiting.removeValue(forKey: job.key) }?.finish()
    }

    /// Tells the system that its events have been handled.
    public func urlSessionDidFinishEvents(forBackgroundURLSession _: URLSession) {
        let handler = state.withLock { state in
            defer { state.onEventsHandled = nil }
            return state.onEventsHandled
        }
        if let handler { DispatchQueue.main.async { MainActor.assumeIsolated(handler) } }
    }

    private func report(_ task: URLSessionTask, _ bytes: Int64, _ total: Int64) {
        guard let job = BackgroundJob(task.taskDescription) else { return }
        let progress = TransferProgress(state: .running, completedBytes: bytes, totalBytes: total < 0 ? nil : total)
        _ = state.withLock { $0.waiting[job.key]?.yield(progress) }
    }
}

extension URLRequest {
    /// Creates a request with a head. Returns `nil` if the system does not accept the URL.
    init?(_ head: HTTPRequest) {
        guard let scheme = head.scheme, let authority = head.authority, let path = head.path,
            let url = URL(string: "\(scheme)://\(authority)\(path)")
        else { return nil }
        self.init(url: url)
        httpMethod = head.method.rawValue
        for field in head.headerFields { addValue(field.value, forHTTPHeaderField: field.name.rawName) }
    }
}

extension TransferQueue {
    /// Opens the queue of a folder. The system performs its transfers.
    ///
    /// - Throws: ``TransferError`` if the folder cannot be created, or is accessible to others.
    public convenience init(
        folder: URL,
        background: BackgroundSession,
        options: TransferQueueOptions = TransferQueueOptions()
    ) throws(TransferError) {
        try self.init(folder: folder, runner: background, options: options)
    }
}
#endif
