import Foundation
import Sallyport
import SallyportTransport

/// An upload or download in progress, which can be observed, paused, resumed and cancelled.
///
/// A transfer starts when it is created. It is cancelled when the last reference to it is released, or when the task
/// that awaits its result is cancelled. For transfers that continue after the process has ended, see ``TransferQueue``.
///
/// ```swift
/// let transfer = client.download(to: .file(URL(fileURLWithPath: "/tmp/map.zip"))) { request in
///     request.url = "https://example.com/map.zip"
/// }
/// for await progress in transfer.progress { print(progress.completedBytes) }
/// let file = try await transfer.value
/// ```
public final class Transfer<Value: Sendable>: Sendable {
    /// The identifier of the transfer; a random one unless specified.
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
            control?.abandon()
            task.cancel()
        }
        foundationProgress.pausingHandler = { [weak control] in _ = control?.setPaused(true) }
        foundationProgress.resumingHandler = { [weak control] in _ = control?.setPaused(false) }
    }

    deinit {
        task.cancel()
    }

    /// The progress of the transfer: the current one at once, then each change until the transfer has ended.
    ///
    /// The sequence keeps a reference to the transfer.
    public var progress: TransferProgressUpdates { TransferProgressUpdates(reports: control.reports, of: self) }

    /// The current progress.
    public var currentProgress: TransferProgress { control.progress }

    /// The progress as Foundation's type. Its units are bytes, and it pauses, resumes and cancels the transfer.
    ///
    /// It keeps no reference to the transfer.
    public var foundationProgress: Progress { control.reports.foundationProgress }

    /// Pauses the transfer: nothing is sent or received until ``resume()``. Bytes that have been transferred are kept.
    ///
    /// A download that has received all bytes, and must only check and rename the file, finishes even if it is paused.
    public func pause() {
        if control.setPaused(true) { foundationProgress.pause() }
    }

    /// Resumes the transfer after ``pause()``.
    public func resume() {
        if control.setPaused(false) { foundationProgress.resume() }
    }

    /// Cancels the transfer. Downloaded bytes are kept, and a later download to the same destination continues from
    /// them.
    ///
    /// An upload is also cancelled at the server, and its journal is removed. To stop an upload that is to be continued
    /// later, cancel the task that awaits it, or release the transfer.
    public func cancel() { foundationProgress.cancel() }

    /// The result, once the transfer has ended. Cancelling the task that awaits it cancels the transfer.
    public var result: Result<Value, TransferError> {
        get async {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// The value, once the transfer has ended.
    ///
    /// Cancelling the task that awaits the value cancels the transfer.
    ///
    /// - Throws: ``TransferError`` with the reason, and the partial file of a download.
    public var value: Value {
        get async throws(TransferError) { try await result.get() }
    }
}
