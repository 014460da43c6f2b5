import Foundation

/// Where a download goes.
public enum DownloadDestination: Sendable, Hashable {
    /// This file, in a folder that is there.
    case file(URL)

    /// A file in this folder, under a name that the server's `Content-Disposition` or the URL tells, made safe: it
    /// never leads out of the folder.
    case folder(URL)
}
