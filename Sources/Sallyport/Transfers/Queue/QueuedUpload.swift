import Foundation

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
