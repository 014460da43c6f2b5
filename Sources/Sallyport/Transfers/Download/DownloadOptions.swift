import Foundation

/// How a download is made.
public struct DownloadOptions: Sendable {
    /// What to do if a file of that name is there.
    public enum ExistingFile: String, Sendable, Codable {
        /// Fail, before anything is fetched.
        case fail
        /// Replace it, once the new one is whole.
        case replace
        /// Keep it, and number the new one: `map (2).zip`.
        case number
    }

    /// What to do if a file of that name is there; fail unless set.
    public var existingFile = ExistingFile.fail

    /// Whether to go on from the partial file of an earlier attempt; `false` starts over.
    public var resumes = true

    /// How many ranges of a large file are fetched at a time, where the server allows; 1 unless set, at most 16.
    public var connections = 1

    /// The digest that the file has to have. The server's own (RFC 9530) is checked too, where it sends one.
    public var digest: ContentDigest?

    /// The largest file that is accepted, in bytes; none is too large unless set.
    public var maximumSize: Int64?

    /// How often, and when, it goes on by itself after the connection broke. Each time that bytes came, it counts anew.
    public var retry = RetryPolicy.exponential(attempts: 5)

    /// Makes options with the defaults.
    public init() {}
}

/// Where a download goes.
public enum DownloadDestination: Sendable, Hashable {
    /// This file, in a folder that is there.
    case file(URL)

    /// A file in this folder, under a name that the server's `Content-Disposition` or the URL tells, made safe: it
    /// never leads out of the folder.
    case folder(URL)
}

extension DownloadDestination: Codable {
    private enum CodingKeys: String, CodingKey {
        case file
        case folder
    }

    /// Reads what ``encode(to:)`` has written.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        if let file = try values.decodeIfPresent(URL.self, forKey: .file) {
            self = .file(file)
        } else {
            self = .folder(try values.decode(URL.self, forKey: .folder))
        }
    }

    /// Writes the URL under the name of the case.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .file(let url): try values.encode(url, forKey: .file)
        case .folder(let url): try values.encode(url, forKey: .folder)
        }
    }
}
