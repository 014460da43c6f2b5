import Foundation

/// A transfer for a ``TransferQueue``: what is needed to make it in this process or in a later one.
///
/// ```swift
/// let transfer = QueuedTransfer.download(
///     "https://example.com/map.zip",
///     to: .file(URL(fileURLWithPath: "/tmp/map.zip")),
///     identifier: "map"
/// )
/// ```
///
/// It is written to a disk, and so headers such as `Authorization` and `Cookie` are refused: authorize the client that
/// the queue is given instead. The URL is kept with its query, in a folder that only its owner can read.
public struct QueuedTransfer: Sendable, Hashable, Codable {
    /// Which of the transfers that wait is made first.
    public enum Priority: Int, Sendable, Codable, CaseIterable, Comparable {
        /// When there is nothing else.
        case low = -1
        /// In the order in which they came.
        case normal = 0
        /// Before all others.
        case high = 1

        /// Whether the first comes after the second.
        public static func < (first: Priority, second: Priority) -> Bool { first.rawValue < second.rawValue }
    }

    /// What is transferred.
    public enum Work: Sendable, Hashable, Codable {
        /// A file is fetched.
        case download(QueuedDownload)
        /// One or more files are sent.
        case upload(QueuedUpload)
    }

    /// What tells it from others, in all processes: 1 to 100 letters, digits, dots, dashes and underscores of ASCII, of
    /// which the first is no dot.
    public var identifier: String

    /// Which of the transfers that wait is made first.
    public var priority: Priority

    /// What is transferred.
    public var work: Work

    /// Makes a transfer.
    ///
    /// - Parameters:
    ///   - work: What is transferred.
    ///   - identifier: What tells it from others; a random one unless given.
    ///   - priority: Which of those that wait is made first.
    public init(_ work: Work, identifier: String? = nil, priority: Priority = .normal) {
        self.identifier = identifier ?? UUID().uuidString.lowercased()
        self.priority = priority
        self.work = work
    }

    /// A file that is fetched by a GET.
    ///
    /// - Parameters:
    ///   - url: Where it is.
    ///   - destination: Where it goes. The file has that name only once it is whole.
    ///   - headers: What the request has beside the standard headers; no secrets.
    ///   - identifier: What tells it from others; a random one unless given.
    ///   - priority: Which of those that wait is made first.
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

    /// A file that is sent as the body of a request, or several as a form.
    ///
    /// - Parameters:
    ///   - content: What is sent.
    ///   - url: Where it goes.
    ///   - method: POST unless given.
    ///   - headers: What the request has beside the standard headers; no secrets.
    ///   - identifier: What tells it from others; a random one unless given.
    ///   - priority: Which of those that wait is made first.
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

/// A file that a ``TransferQueue`` fetches.
public struct QueuedDownload: Sendable, Hashable, Codable {
    /// Where it is.
    public var url: String

    /// What the request has beside the standard headers; no secrets.
    public var headers: [String: String] = [:]

    /// Where it goes. The file has that name only once it is whole.
    public var destination: DownloadDestination

    /// What to do if a file of that name is there; fail unless set.
    public var existingFile = DownloadOptions.ExistingFile.fail

    /// The digest that the file has to have; see ``DownloadOptions/digest``.
    public var digest: ContentDigest?

    /// The largest file that is accepted, in bytes; none is too large unless set.
    public var maximumSize: Int64?

    /// How many ranges of a large file are fetched at a time; see ``DownloadOptions/connections``.
    public var connections = 1

    /// Makes a download.
    ///
    /// - Parameters:
    ///   - url: Where it is.
    ///   - destination: Where it goes.
    public init(_ url: String, to destination: DownloadDestination) {
        self.url = url
        self.destination = destination
    }
}

/// One or more files that a ``TransferQueue`` sends.
///
/// Each has an `Idempotency-Key` that stays the same in all attempts and all processes, by which a server knows an upload
/// again whose answer was lost. One that knows neither such keys nor resumable uploads may get that one twice.
public struct QueuedUpload: Sendable, Hashable, Codable {
    /// A file of a form.
    public struct Part: Sendable, Hashable, Codable {
        /// The field's name, any text.
        public var name: String
        /// Where the file is. It is read when its turn comes, and has to stay until then.
        public var file: URL
        /// The name that the server sees; the file's own unless set.
        public var filename: String?
        /// Its media type; that of its name unless set.
        public var contentType: String?

        /// Makes a part.
        public init(name: String, file: URL, filename: String? = nil, contentType: String? = nil) {
            self.name = name
            self.file = file
            self.filename = filename
            self.contentType = contentType
        }
    }

    /// What is sent.
    public enum Content: Sendable, Hashable, Codable {
        /// A file as the body. It is read when its turn comes, and has to stay until then.
        case file(URL)
        /// Files as a form (`multipart/form-data`).
        case form([Part])
    }

    /// Where it goes.
    public var url: String

    /// The request's method; POST unless set.
    public var method = HttpMethod.post.rawValue

    /// What the request has beside the standard headers; no secrets.
    public var headers: [String: String] = [:]

    /// What is sent.
    public var content: Content

    /// Whether the server is asked to let a broken upload go on; see ``UploadOptions/isResumable``.
    public var isResumable = true

    /// Makes an upload.
    ///
    /// - Parameters:
    ///   - content: What is sent.
    ///   - url: Where it goes.
    public init(_ content: Content, to url: String) {
        self.content = content
        self.url = url
    }
}
