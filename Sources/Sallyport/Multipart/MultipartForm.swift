import Foundation
import HTTPTypes
import SallyportTransport

/// A form of fields and files, sent as `multipart/form-data` (RFC 7578).
///
/// However large its files and however many its parts, it is sent piece by piece. Names are written in UTF-8 and escaped
/// as browsers do it: `"` as `%22`, line breaks as `%0D` and `%0A`.
///
/// ```swift
/// var form = MultipartForm()
/// form.append(name: "title", value: "A photo")
/// form.append(name: "photo", file: URL(fileURLWithPath: "/tmp/photo.jpg"))
/// request.multipart(form)
/// ```
public struct MultipartForm: Sendable {
    /// The line between the parts: random, so that no part can hold it, unless it was given.
    public let boundary: String

    private var parts: [MultipartPart] = []

    /// Makes an empty form.
    public init() {
        boundary = MultipartBoundary.random()
    }

    /// Makes an empty form with a boundary of one's own, so that the same parts give the same bytes another time.
    ///
    /// - Parameter boundary: The line between the parts, best that of an earlier form. No part may hold it.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if RFC 2046 does not allow it.
    public init(boundary: String) throws(NetworkError) {
        if let problem = MultipartBoundary.problem(with: boundary) {
            throw .invalidRequest(
                NetworkFailure(
                    "the boundary \"\(VisibleText.line(boundary))\" \(problem)",
                    advice: "use 1 to \(MultipartBoundary.longest) letters, digits and hyphens"
                )
            )
        }
        self.boundary = boundary
    }

    /// The value for the header `Content-Type`.
    public var contentType: String {
        "\(NetworkConstants.contentTypeMultipart); boundary=\(MultipartBoundary.quoted(boundary))"
    }

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
    ///   - headers: Further headers of the part.
    public mutating func append(
        name: String,
        data: Data,
        filename: String? = nil,
        contentType: String? = nil,
        headers: [String: String] = [:]
    ) {
        append(.data(data), name, filename, contentType ?? filename.map(MediaType.ofFile), headers)
    }

    /// Adds a file, which is read while the request is sent. One that changes meanwhile fails the call.
    ///
    /// - Parameters:
    ///   - name: The field's name, any text. Several files may have the same.
    ///   - file: Where the file is.
    ///   - filename: The name that the server sees; by default the file's own.
    ///   - contentType: Its media type; by default that of `filename`.
    ///   - headers: Further headers of the part.
    public mutating func append(
        name: String,
        file: URL,
        filename: String? = nil,
        contentType: String? = nil,
        headers: [String: String] = [:]
    ) {
        let filename = filename ?? file.lastPathComponent
        append(.file(file), name, filename, contentType ?? MediaType.ofFile(named: filename), headers)
    }

    /// Adds several files under one name, each as a part of its own, with the file's own name and type.
    ///
    /// - Parameters:
    ///   - name: The field's name, any text.
    ///   - files: Where the files are.
    public mutating func append(name: String, files: [URL]) {
        for file in files { append(name: name, file: file) }
    }

    /// Adds bytes that are produced while the request is sent.
    ///
    /// The form has a length if the stream has, and can be sent again if the stream can.
    ///
    /// - Parameters:
    ///   - name: The field's name, any text.
    ///   - stream: The bytes.
    ///   - filename: The name under which a server takes them for a file.
    ///   - contentType: Their media type; by default that of `filename`, if there is one.
    ///   - headers: Further headers of the part.
    public mutating func append(
        name: String,
        stream: BodyStream,
        filename: String? = nil,
        contentType: String? = nil,
        headers: [String: String] = [:]
    ) {
        append(.stream(stream), name, filename, contentType ?? filename.map(MediaType.ofFile), headers)
    }

    private mutating func append(
        _ content: MultipartPart.Content,
        _ name: String,
        _ filename: String?,
        _ contentType: String?,
        _ headers: [String: String]
    ) {
        parts.append(
            MultipartPart(
                name: name,
                filename: filename,
                contentType: contentType,
                headers: headers,
                content: content
            )
        )
    }

    /// The form as a body: bytes in memory if there are only such, else a stream.
    ///
    /// Its length is known unless that of a stream in it is not.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming a file that cannot be read, or a part whose headers are
    ///   invalid.
    public func body() throws(NetworkError) -> RequestBody {
        let content = try MultipartContent(boundary: boundary, parts: parts)
        if let data = try content.inMemory() { return .data(data) }
        return .stream(
            BodyStream(
                length: content.length,
                isReplayable: content.isReplayable,
                fingerprint: { content.fingerprint },
                produce: { write in try await content.write(to: write) }
            )
        )
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
