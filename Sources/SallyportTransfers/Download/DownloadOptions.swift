import Foundation
import Sallyport

/// The options of a download.
public struct DownloadOptions: Sendable {
    /// The treatment of an existing file with the name of the download.
    public enum ExistingFile: String, Sendable, Codable {
        /// Fail before anything is fetched.
        case fail
        /// Replace the file once the download is complete.
        ///
        /// In a ``DownloadDestination/folder(_:)``, only a file with the name at the end of the requested URL is replaced. If the server
        /// chooses another name, by `Content-Disposition` or a redirect, an existing file makes the download fail.
        case replace
        /// Keep the file, and add a number to the name of the download: `map (2).zip`.
        case number
    }

    /// The treatment of an existing file with the name of the download; ``ExistingFile/fail`` by default.
    public var existingFile = ExistingFile.fail

    /// A Boolean value that indicates whether to continue from the partial file of an earlier download; `true` by
    /// default.
    public var resumes = true

    /// The maximum number of ranges of a large file that are fetched in parallel if the server supports it; 1 by
    /// default, at most 16.
    public var connections = 1

    /// The digest that the file must have. A digest that the server sends (RFC 9530) is checked too.
    public var digest: ContentDigest?

    /// The maximum size of the file in bytes; `nil`, the default, for no limit.
    public var maximumSize: Int64?

    /// The maximum rate at which the file is received; `nil`, the default, for no limit. Parallel requests of the download share it,
    /// and so do all transfers with the same limit.
    public var rateLimit: RateLimit?

    /// The retry policy for broken connections and temporary errors. When an attempt has received bytes, the count of
    /// attempts starts again.
    public var retry = RetryPolicy.exponential(attempts: 5)

    /// The folder to which the caller moves the complete file; `nil` if the file stays where it is. The download fails if the folder
    /// already contains a file with the same name.
    package var finalFolder: URL?

    /// Creates the default options.
    public init() {}
}

extension DownloadOptions.ExistingFile {
    /// Returns the treatment of a file in a folder, where the server can choose the name of a download.
    ///
    /// A server must not be able to replace any file of the folder, such as a `Makefile`.
    ///
    /// - Parameters:
    ///   - name: The name of the download.
    ///   - url: The URL that the app requested.
    func inFolder(_ name: String, requested url: String?) -> Self {
        self == .replace && name != SafeFileName.make(ofURL: url ?? "") ? .fail : self
    }
}

/// The destination of a download.
public enum DownloadDestination: Sendable, Hashable {
    /// This file, in an existing folder.
    case file(URL)

    /// A file in this folder. Its name is taken from the server's `Content-Disposition` or the URL and made safe, so
    /// that it never refers to another folder.
    case folder(URL)
}

extension DownloadDestination: Codable {
    private enum CodingKeys: String, CodingKey {
        case file
        case folder
    }

    /// Decodes the representation that ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let file = try values.decodeIfPresent(URL.self, forKey: .file) {
            self = .file(file)
        } else {
            self = .folder(try values.decode(URL.self, forKey: .folder))
        }
    }

    /// Encodes the URL under the name of the case.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .file(let url): try values.encode(url, forKey: .file)
        case .folder(let url): try values.encode(url, forKey: .folder)
        }
    }
}
