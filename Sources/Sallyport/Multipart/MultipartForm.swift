import Foundation
import HTTPTypes
import SallyportTransport

/// A form of fields and files, sent as `multipart/form-data` (RFC 7578).
///
/// ```swift
/// var form = MultipartForm()
/// form.append(name: "title", value: "A photo")
/// form.append(name: "photo", file: URL(fileURLWithPath: "/tmp/photo.jpg"))
/// request.multipart(form)
/// ```
public struct MultipartForm: Sendable {
    /// The line between the parts: random, so that no part can hold it.
    public let boundary: String

    private var parts: [MultipartPart] = []

    /// Makes an empty form.
    public init() {
        let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        boundary = "sallyport-" + random.joined()
    }

    /// Makes an empty form with a boundary that another process has used, whose bytes are to be the same.
    package init(boundary: String) {
        self.boundary = boundary
    }

    /// The value for the header `Content-Type`.
    public var contentType: String { "\(NetworkConstants.contentTypeMultipart); boundary=\(boundary)" }

    /// Adds a field of text.
    ///
    /// - Parameters:
    ///   - name: The field's name, any text.
    ///   - value: The text, sent as UTF-8.
    ///   - contentType: Its media type, if it is to be announced.
    public mutating func append(name: String, value: String, contentType: String? = nil) {
        append(name: name, data: Data(value.utf8), contentType: contentType)
    }

    /// Adds bytes.
    ///
    /// - Parameters:
    ///   - name: The field's name, any text.
    ///   - data: The bytes.
    ///   - filename: The name under which a server takes them for a file.
    ///   - contentType: Their media type; by default that of `filename`, if there is one.
    public mutating func append(name: String, data: Data, filename: String? = nil, contentType: String? = nil) {
        let type = contentType ?? filename.map(MediaType.ofFile)
        parts.append(MultipartPart(name: name, filename: filename, contentType: type, content: .data(data)))
    }

    /// Adds a file, which is read while the request is sent.
    ///
    /// - Parameters:
    ///   - name: The field's name, any text.
    ///   - file: Where the file is.
    ///   - filename: The name that the server sees; by default the file's own.
    ///   - contentType: Its media type; by default that of `filename`.
    public mutating func append(name: String, file: URL, filename: String? = nil, contentType: String? = nil) {
        let filename = filename ?? file.lastPathComponent
        let type = contentType ?? MediaType.ofFile(named: filename)
        parts.append(MultipartPart(name: name, filename: filename, contentType: type, content: .file(file)))
    }

    /// The form as a body: bytes in memory if there are no files, else a stream of known length that can be sent again.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming a file that cannot be read, or a part whose type is invalid.
    public func body() throws(NetworkError) -> RequestBody {
        var pieces: [MultipartPiece] = []
        for part in parts {
            pieces.append(.data(Data("--\(boundary)\r\n\(try part.head())\r\n\r\n".utf8)))
            pieces.append(try part.piece())
            pieces.append(.data(Data("\r\n".utf8)))
        }
        pieces.append(.data(Data("--\(boundary)--\r\n".utf8)))
        let content = MultipartContent(pieces)
        if let data = content.inMemory { return .data(data) }
        return .stream(BodyStream(content, length: content.length, isReplayable: true))
    }
}

extension HttpRequest {
    /// Makes it a POST of a form with files.
    ///
    /// A file that cannot be read fails the request when it is sent, before anything leaves.
    public mutating func multipart(_ form: MultipartForm) {
        setMethod(.post)
        setHeader(name: NetworkConstants.headerContentType, value: form.contentType)
        do throws(NetworkError) {
            body = try form.body()
        } catch {
            remember(error.failure)
        }
    }
}
