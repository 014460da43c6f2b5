import Foundation

/// How an upload is made.
public struct UploadOptions: Sendable {
    /// Whether the server is asked to let a broken upload go on
    /// (draft-ietf-httpbis-resumable-upload). One that does not know of it takes the upload as any other.
    public var isResumable = true

    /// Where to keep what a later process needs to go on with the upload; in memory only, unless set.
    ///
    /// The file is made before anything is sent, readable by its owner only, and removed at the upload's end, which
    /// ``Transfer/cancel()`` is too. It stays where the upload broke, or ended with its process or with the task that
    /// waited for it, and the server keeps what it has: then the same upload with the same
    /// journal goes on. A file or form that has changed since starts over, which is logged. See ``keptBoundary`` for
    /// forms. Streams of the app's own start over. Only one upload at a time, of any process, can have a journal:
    /// another fails with ``TransferError/Reason/inUse(_:)`` before it sends anything.
    public var journal: URL?

    /// How often, and when, it goes on by itself after the connection broke. Each time that the server has kept more
    /// bytes than ever before, it counts anew.
    ///
    /// Where the server does not let it go on, it is sent once more only if that cannot do anything twice; see
    /// ``RetryPolicy``.
    public var retry = RetryPolicy.exponential(attempts: 5)

    /// Whether the journal stays after the end, for one who writes the end down elsewhere and then removes it.
    package var keepsJournal = false

    /// Makes options with the defaults.
    public init() {}
}

extension UploadOptions {
    /// The line between the parts of the form whose upload the journal is of, so that the same form can be made again;
    /// `nil` if there is none.
    ///
    /// ```swift
    /// var form = options.keptBoundary.map(MultipartForm.init(boundary:)) ?? MultipartForm()
    /// ```
    public var keptBoundary: String? { journal.flatMap(UploadJournal.entry)?.boundary }
}
