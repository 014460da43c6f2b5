import Foundation

/// How an upload is made.
public struct UploadOptions: Sendable {
    /// Whether the server is asked to let a broken upload go on
    /// (draft-ietf-httpbis-resumable-upload). One that does not know of it takes the upload as any other.
    public var isResumable = true

    /// Where to keep what a later process needs to go on with the upload; in memory only, unless set.
    ///
    /// The file is made before anything is sent, readable by its owner only, and removed at the upload's end.
    public var journal: URL?

    /// How often, and when, it goes on by itself after the connection broke. Each time that bytes were taken, it counts
    /// anew.
    public var retry = RetryPolicy.exponential(attempts: 5)

    /// Whether the journal stays after the end, for one who writes the end down elsewhere and then removes it.
    package var keepsJournal = false

    /// Makes options with the defaults.
    public init() {}
}
