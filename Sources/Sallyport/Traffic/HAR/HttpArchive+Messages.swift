import Foundation

extension HttpArchive {
    /// A header field or a parameter of a query.
    public struct Field: Sendable, Hashable {
        /// The name. The archives of browsers may contain the pseudo-header fields of HTTP/2, such as `:authority`.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A cookie.
    public struct Cookie: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a cookie.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A request.
    public struct Request: Sendable, Hashable {
        /// The method, such as `GET`.
        public var method: String
        /// The absolute URL.
        public var url: String
        /// The version of HTTP, such as `HTTP/1.1`; empty if it is unknown.
        public var httpVersion: String
        /// The cookies, which the header `Cookie` contains as well.
        public var cookies: [Cookie]
        /// The header fields.
        public var headers: [Field]
        /// The decoded parameters of the URL's query.
        public var queryString: [Field]
        /// The body; `nil` if there was none or it is not recorded.
        public var postData: PostData?
        /// The size of the head in bytes; `nil` if it is unknown.
        public var headersSize: Int?
        /// The size of the body in bytes; `nil` if it is unknown.
        public var bodySize: Int?
        /// A comment.
        public var comment: String?

        /// Creates a request.
        public init(
            method: String,
            url: String,
            httpVersion: String = "HTTP/1.1",
            cookies: [Cookie] = [],
            headers: [Field] = [],
            queryString: [Field] = [],
            postData: PostData? = nil,
            headersSize: Int? = nil,
            bodySize: Int? = nil,
            comment: String? = nil
        ) {
            self.method = method
            self.url = url
            self.httpVersion = httpVersion
            self.cookies = cookies
            self.headers = headers
            self.queryString = queryString
            self.postData = postData
            self.headersSize = headersSize
            self.bodySize = bodySize
            self.comment = comment
        }
    }

    /// The body of a request.
    public struct PostData: Sendable, Hashable {
        /// The media type; empty if it is unknown.
        public var mimeType: String
        /// The text of the body, or its Base64 encoding; see ``encoding``.
        public var text: String?
        /// The encoding of ``text``: `base64`, or `nil` for none. HAR 1.2 has no such member, so it is written as `_encoding`.
        public var encoding: String?
        /// The fields of a form. Browsers record a form with files only in this member.
        public var params: [Parameter]
        /// A comment, for example about the part of the body that is not recorded.
        public var comment: String?

        /// Creates a body from its text.
        public init(
            mimeType: String,
            text: String?,
            encoding: String? = nil,
            params: [Parameter] = [],
            comment: String? = nil
        ) {
            self.mimeType = mimeType
            self.text = text
            self.encoding = encoding
            self.params = params
            self.comment = comment
        }

        /// Creates a body from its bytes, which are encoded as Base64 if they are not UTF-8.
        public init(mimeType: String, data: Data, comment: String? = nil) {
            let (text, encoding) = ArchiveText.encode(data)
            self.init(mimeType: mimeType, text: text, encoding: encoding, comment: comment)
        }

        /// The bytes of the body; `nil` if they are not recorded, or not valid Base64.
        public var data: Data? { text.flatMap { ArchiveText.decode($0, encoding) } }
    }

    /// A field of a form.
    public struct Parameter: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value, or the content of a file.
        public var value: String?
        /// The name of a file.
        public var fileName: String?
        /// The media type of a file.
        public var contentType: String?

        /// Creates a field.
        public init(name: String, value: String? = nil, fileName: String? = nil, contentType: String? = nil) {
            self.name = name
            self.value = value
            self.fileName = fileName
            self.contentType = contentType
        }
    }

    /// A response.
    public struct Response: Sendable, Hashable {
        /// The status, such as 200; 0 if there was no response.
        public var status: Int
        /// The reason phrase.
        public var statusText: String
        /// The version of HTTP, such as `HTTP/2`; empty if it is unknown.
        public var httpVersion: String
        /// The cookies that the response sets, which the headers contain as well.
        public var cookies: [Cookie]
        /// The header fields.
        public var headers: [Field]
        /// The body.
        public var content: Content
        /// The value of `Location`; empty if there is none.
        public var redirectURL: String
        /// The size of the head in bytes; `nil` if it is unknown.
        public var headersSize: Int?
        /// The size of the body in bytes as it was received, before decoding; `nil` if it is unknown.
        public var bodySize: Int?
        /// A comment.
        public var comment: String?

        /// Creates a response.
        public init(
            status: Int,
            statusText: String = "",
            httpVersion: String = "HTTP/1.1",
            cookies: [Cookie] = [],
            headers: [Field] = [],
            content: Content = Content(mimeType: "", data: Data()),
            redirectURL: String = "",
            headersSize: Int? = nil,
            bodySize: Int? = nil,
            comment: String? = nil
        ) {
            self.status = status
            self.statusText = statusText
            self.httpVersion = httpVersion
            self.cookies = cookies
            self.headers = headers
            self.content = content
            self.redirectURL = redirectURL
            self.headersSize = headersSize
            self.bodySize = bodySize
            self.comment = comment
        }
    }

    /// The body of a response.
    public struct Content: Sendable, Hashable {
        /// The size of the complete body in bytes, after decoding.
        public var size: Int
        /// The number of bytes that compression saved; `nil` if it is unknown.
        public var compression: Int?
        /// The media type, with its charset; empty if it is unknown.
        public var mimeType: String
        /// The text of the body, or its Base64 encoding; `nil` if it is not recorded.
        public var text: String?
        /// The encoding of ``text``: `base64`, or `nil` for none.
        public var encoding: String?
        /// A comment, for example about the part of the body that is not recorded.
        public var comment: String?

        /// Creates a body from its text.
        public init(
            size: Int,
            mimeType: String,
            text: String?,
            encoding: String? = nil,
            compression: Int? = nil,
            comment: String? = nil
        ) {
            self.size = size
            self.mimeType = mimeType
            self.text = text
            self.encoding = encoding
            self.compression = compression
            self.comment = comment
        }

        /// Creates a body from its bytes, which are encoded as Base64 if they are not UTF-8.
        ///
        /// - Parameters:
        ///   - mimeType: The media type.
        ///   - data: The bytes.
        ///   - size: The size of the complete body, if `data` is only its beginning.
        ///   - comment: A comment for the reader of the archive.
        public init(mimeType: String, data: Data, size: Int? = nil, comment: String? = nil) {
            let (text, encoding) = ArchiveText.encode(data)
            self.init(
                size: size ?? data.count,
                mimeType: mimeType,
                text: text,
                encoding: encoding,
                comment: comment
            )
        }

        /// The bytes of the body; `nil` if they are not recorded, or not valid Base64.
        public var data: Data? { text.flatMap { ArchiveText.decode($0, encoding) } }
    }
}

/// The text of a body in an archive.
private enum ArchiveText {
    /// Returns bytes as text, or as Base64 if they are not UTF-8.
    static func encode(_ data: Data) -> (text: String, encoding: String?) {
        let text = String(decoding: data, as: UTF8.self)
        return text.utf8.elementsEqual(data) ? (text, nil) : (data.base64EncodedString(), "base64")
    }

    static func decode(_ text: String, _ encoding: String?) -> Data? {
        guard encoding?.lowercased() == "base64" else { return Data(text.utf8) }
        return Data(base64Encoded: text, options: .ignoreUnknownCharacters)
    }
}
