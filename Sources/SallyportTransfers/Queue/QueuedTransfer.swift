import Foundation
import Sallyport

/// A transfer for a ``TransferQueue``, with everything that is needed to perform it in this process or a later one.
///
/// ```swift
/// let transfer = QueuedTransfer.download(
///     "https://example.com/map.zip",
///     to: .file(URL(fileURLWithPath: "/tmp/map.zip")),
///     identifier: "map"
/// )
/// ```
///
/// It is stored on the disk. Therefore headers with secrets, such as `Authorization` and `Cookie`, are refused:
/// authorize the client of the queue instead. The URL is stored with its query, in a folder that only its owner can
/// read.
public struct QueuedTransfer: Sendable, Hashable, Codable {
    /// The order of waiting transfers.
    public enum Priority: Int, Sendable, Codable, CaseIterable, Comparable {
        /// After all others.
        case low = -1
        /// In the order they were enqueued.
        case normal = 0
        /// Before all others.
        case high = 1

        /// Returns a Boolean value that indicates whether the first priority is lower than the second.
        public static func < (first: Priority, second: Priority) -> Bool { first.rawValue < second.rawValue }
    }

    /// The download or upload of a transfer.
    public enum Work: Sendable, Hashable, Codable {
        /// Download a file.
        case download(QueuedDownload)
        /// Upload one or more files.
        case upload(QueuedUpload)
    }

    /// The identifier of the transfer in all processes: 1 to 100 ASCII letters, digits, dots, dashes and underscores,
    /// not beginning with a dot.
    public var identifier: String

    /// The priority among the waiting transfers.
    public var priority: Priority

    /// The download or upload to perform.
    public var work: Work

    /// Creates a transfer.
    ///
    /// - Parameters:
    ///   - work: The download or upload to perform.
    ///   - identifier: The identifier of the transfer; a random one unless specified.
    ///   - priority: The priority among the waiting transfers.
    public init(_ work: Work, identifier: String? = nil, priority: Priority = .normal) {
        self.identifier = identifier ?? UUID().uuidString.lowercased()
        self.priority = priority
        self.work = work
    }

    /// Returns a transfer that downloads a file with a GET request.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - destination: The destination. The file exists under this name only once it is complete.
    ///   - headers: The headers to send in addition to the standard headers. They must not contain secrets.
    ///   - identifier: The identifier of the transfer; a random one unless specified.
    ///   - priority: The priority among the waiting transfers.
    public static func download(
        _ url: String,
        to destination: DownloadDestination,
        headers: [String: String] = [:],
        identifier: String? = nil,
        priority: Priority = .normal
    ) -> QueuedTransfer {
        var download = QueuedDownload(url, to: destination)
        download.headers = headers
        return QueuedTransfer(.download(download), identifier: identifier, priority: priority)
    }

    /// Returns a transfer that uploads a file as the body of a request, or several files as a form.
    ///
    /// - Parameters:
    ///   - content: The file or files to upload.
    ///   - url: The URL to upload to.
    ///   - method: The method; POST by default.
    ///   - headers: The headers to send in addition to the standard headers. They must not contain secrets.
    ///   - identifier: The identifier of the transfer; a random one unless specified.
    ///   - priority: The priority among the waiting transfers.
    public static func upload(
        _ content: QueuedUpload.Content,
        to url: String,
        method: HttpMethod = .post,
        headers: [String: String] = [:],
        identifier: String? = nil,
        priority: Priority = .normal
    ) -> QueuedTransfer {
        var upload = QueuedUpload(content, to: url)
        upload.method = method.rawValue
        upload.headers = headers
        return QueuedTransfer(.upload(upload), identifier: identifier, priority: priority)
    }
}

/// A file that a ``TransferQueue`` downloads.
public struct QueuedDownload: Sendable, Hashable, Codable {
    /// The URL of the file.
    public var url: String

    /// The headers to send in addition to the standard headers. They must not contain secrets.
    public var headers: [String: String] = [:]

    /// The destination. The file exists under this name only once it is complete.
    public var destination: DownloadDestination

    /// The treatment of an existing file with the name of the download; ``DownloadOptions/ExistingFile/fail`` by
    /// default.
    public var existingFile = DownloadOptions.ExistingFile.fail

    /// The digest that the file must have; see ``DownloadOptions/digest``.
    public var digest: ContentDigest?

    /// The maximum size of the file in bytes; `nil`, the default, for no limit.
    public var maximumSize: Int64?

    /// The maximum number of ranges that are fetched in parallel; see ``DownloadOptions/connections``.
    public var connections = 1

    /// Creates a download.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - destination: The destination.
    public init(_ url: String, to destination: DownloadDestination) {
        self.url = url
        self.destination = destination
    }
}

/// One or more files that a ``TransferQueue`` uploads.
///
/// Each upload has an `Idempotency-Key` that stays the same in all attempts and processes. If the response to an upload
/// was lost, the server recognizes the repeated upload by this key. A server that supports neither such keys nor
/// resumable uploads may receive that upload twice.
public struct QueuedUpload: Sendable, Hashable, Codable {
    /// A file of a form.
    public struct Part: Sendable, Hashable, Codable {
        /// The name of the form field, any text.
        public var name: String
        /// The file. It is read when it is uploaded, and must exist until then.
        public var file: URL
        /// The name that is sent to the server; the name of the file by default.
        public var filename: String?
        /// The media type; by default it is derived from the name.
        public var contentType: String?

        /// Creates a part.
        public init(name: String, file: URL, filename: String? = nil, contentType: String? = nil) {
            self.name = name
            self.file = file
            self.filename = filename
            self.contentType = contentType
        }
    }

    /// The content of an upload.
    public enum Content: Sendable, Hashable, Codable {
        /// A file as the body. It is read when it is uploaded, and must exist until then.
        case file(URL)
        /// Files as a form (`multipart/form-data`).
        case form([Part])
    }

    /// The URL to upload to.
    public var url: String

    /// The method; POST by default.
    public var method = HttpMethod.post.rawValue

    /// The headers to send in addition to the standard headers. They must not contain secrets.
    public var headers: [String: String] = [:]

    /// The file or files to upload.
    public var content: Content

    /// A Boolean value that indicates whether to offer the server a resumable upload; see
    /// ``UploadOptions/isResumable``.
    public var isResumable = true

    /// Creates an upload.
    ///
    /// - Parameters:
    ///   - content: The file or files to upload.
    ///   - url: The URL to upload to.
    public init(_ content: Content, to url: String) {
        self.content = content
        self.url = url
    }
}
