import Foundation
import SallyportTransport

/// An upload or a download under way: it can be watched, paused, resumed and cancelled.
///
/// It begins when it is made. It belongs to whoever holds it: once the last holder lets go of it, it is ended, as with
/// the task that waits for it. Transfers that outlive their maker, and the process, are those of ``TransferQueue``.
///
/// ```swift
/// let transfer = client.download(to: .file(URL(fileURLWithPath: "/tmp/map.zip"))) { request in
///     request.url = "https://example.com/map.zip"
/// }
/// for await progress in transfer.progress { print(progress.completedBytes) }
/// let file = try await transfer.value
/// ```
public final class Transfer<Value: Sendable>: Sendable {
    /// What tells it from others; a random one unless given.
    public let identifier: String

    private let control: TransferControl
    private let task: Task<Result<Value, TransferError>, Never>

    package init(
        identifier: String? = nil,
        control: TransferControl = TransferControl(),
        _ work: @escaping @Sendable (TransferControl) async throws(TransferError) -> Value
    ) {
        self.identifier = identifier ?? UUID().uuidString.lowercased()
        self.control = control
        task = Task {
            defer { control.finish() }
            do throws(TransferError) {
                return .success(try await work(control))
            } catch {
                return .failure(error)
            }
        }
        foundationProgress.cancellationHandler = { [task, weak control] in
            control?.giveUp()
            task.cancel()
        }
        foundationProgress.pausingHandler = { [weak control] in _ = control?.setPaused(true) }
        foundationProgress.resumingHandler = { [weak control] in _ = control?.setPaused(false) }
    }

    deinit {
        task.cancel()
    }

    /// How far it has come: the newest report at once, then each that comes, until it is over.
    ///
    /// Whoever reads them holds the transfer too.
    public var progress: TransferProgressUpdates { TransferProgressUpdates(reports: control.reports, of: self) }

    /// How far it has come by now.
    public var currentProgress: TransferProgress { control.progress }

    /// The same as Foundation's type: its units are bytes, and it pauses, resumes and cancels the transfer.
    ///
    /// It does not hold the transfer.
    public var foundationProgress: Progress { control.reports.foundationProgress }

    /// Holds it: nothing is sent or received until ``resume()``. What has been transferred is kept.
    ///
    /// A file that is there already, and has only to be checked and named, is not held up.
    public func pause() {
        if control.setPaused(true) { foundationProgress.pause() }
    }

    /// Goes on after ``pause()``.
    public func resume() {
        if control.setPaused(false) { foundationProgress.resume() }
    }

    /// Ends it. What has been downloaded is kept, for a later transfer to the same file to go on with.
    ///
    /// What a server keeps of an upload is not: it is told to forget that, and the upload's journal is removed. An upload
    /// that is to go on later is ended by the task that waits for it, or by letting go of the transfer.
    public func cancel() { foundationProgress.cancel() }

    /// What came of it, once it is over. Cancelling the task that waits for this ends the wait with the transfer.
    public var result: Result<Value, TransferError> {
        get async {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// What came of it, once it is over.
    ///
    /// - Throws: ``TransferError`` saying what went wrong and what was kept. Cancelling the task that waits for this
    ///   cancels the transfer.
    public var value: Value {
        get async throws(TransferError) { try await result.get() }
    }
}
