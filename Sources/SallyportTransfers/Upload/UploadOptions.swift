import Foundation
import Sallyport

/// The options of an upload.
public struct UploadOptions: Sendable {
    /// A Boolean value that indicates whether to offer the server a resumable upload
    /// (draft-ietf-httpbis-resumable-upload); `true` by default. Servers that do not support it process an ordinary
    /// request.
    public var isResumable = true

    /// The file that records what a later process needs to continue the upload; `nil`, the default, keeps it in memory
    /// only.
    ///
    /// The journal is created before anything is sent, readable only by its owner, and is removed when the upload ends,
    /// also by ``Transfer/cancel()``. It is kept if the connection breaks, the process ends or the task that awaits the
    /// upload is cancelled, and the server keeps the bytes it has received: the same upload with the same journal then
    /// continues. If the file or form has changed since, the upload starts over, which is logged. See ``keptBoundary``
    /// for forms. Streams provided by the app start over. Only one upload in all processes can use a journal at a time:
    /// another one fails with ``TransferError/Reason/inUse(_:)`` before it sends anything.
    public var journal: URL?

    /// The retry policy for broken connections and temporary errors. The count of attempts starts again when the server
    /// has received more bytes than in any earlier attempt.
    ///
    /// If the server does not support resumption, the upload is repeated only if it cannot be processed twice; see
    /// ``RetryPolicy``.
    public var retry = RetryPolicy.exponential(attempts: 5)

    /// The maximum rate at which the body is sent; `nil`, the default, for no limit. All transfers with the same limit share it.
    public var rateLimit: RateLimit?

    /// A Boolean value that indicates whether the journal is kept after a successful upload, for a caller that records
    /// the end elsewhere and then removes the journal.
    package var keepsJournal = false

    /// Creates the default options.
    public init() {}
}

extension UploadOptions {
    /// The boundary of the multipart form in the journal, with which the same form can be created again; `nil` if there
    /// is none.
    ///
    /// ```swift
    /// var form = options.keptBoundary.map(MultipartForm.init(boundary:)) ?? MultipartForm()
    /// ```
    public var keptBoundary: String? { journal.flatMap(UploadJournal.entry)?.boundary }
}
