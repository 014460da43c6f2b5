import Foundation
import HTTPTypes
import SallyportTransport

/// A form of fields and files, sent as `multipart/form-data` (RFC 7578).
///
/// The form is produced piece by piece while it is sent, so its size is not limited by memory. Names are encoded in UTF-8 and
/// escaped as in browsers: `"` as `%22`, line breaks as `%0D` and `%0A`.
///
/// ```swift
/// var form = MultipartForm()
/// form.append(name: "title", value: "A photo")
/// form.append(name: "photo", file: URL(fileURLWithPath: "/tmp/photo.jpg"))
/// request.multipart(form)
/// ```
public struct MultipartForm: Sendable {
    /// The boundary between the parts. By default it is random, so that no part can contain it.
    public let boundary: String

    private var parts: [MultipartPart] = []

    /// Creates an empty form.
    public init() {
        boundary = MultipartBoundary.random()
    }

    /// Creates an empty form with a boundary, so that the same parts always result in the same bytes.
    ///
    /// - Parameter boundary: The boundary, preferably from a previous form. No part may contain it.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if RFC 2046 does not allow the boundary.
    public init(boundary: String) throws(NetworkError) {
        if let problem = MultipartBoundary.problem(with: boundary) {
            throw .invalidRequest(
                NetworkFailure(
                    "the boundary \"\(VisibleText.line(boundary))\" \(problem)",
                    advice: "use 1 to \(MultipartBoundary.maximumLength) letters, digits and hyphens"
                )
            )
        }
        self.boundary = boundary
    }

    /// A digest of the parts; `nil` if a part is a stream or invalid. Files are identified by their paths and versions.
    ///
    /// The same parts have the same digest in all processes, although their forms have different boundaries.
    package var fingerprint: String? { (try? MultipartContent(boundary: "", parts: parts))?.fingerprint }

    /// The value of the `Content-Type` header.
    public var contentType: String {
        "\(NetworkConstants.contentTypeMultipart); boundary=\(MultipartBoundary.quoted(boundary))"
    }

    /// Adds a text field.
    ///
    /// - Parameters:
    ///   - name: The name of the field, which may be any text.
    ///   - value: The text, sent as UTF-8.
    ///   - contentType: The media type; `nil` to send none.
    public mutating func append(name: String, value: String, contentType: String? = nil) {
        append(name: name, data: Data(value.utf8), contentType: contentType)
    }

    /// Adds a field or file with bytes in memory.
    ///
    /// - Parameters:
    ///   - name: The name of the field, which may be any text.
    ///   - data: The bytes.
    ///   - filename: The file name that makes the server treat the part as a file.
    ///   - contentType: The media type. The default is the type for `filename`, if there is one.
    ///   - headers: Additional headers of the part.
    public mutating func append(
        name: String,
        data: Data,
        filename: String? = nil,
        contentType: String? = nil,
        headers: [String: String] = [:]
    ) {
        append(.data(data), name, filename, contentType ?? filename.map(MediaType.ofFile), headers)
    }

    /// Adds a file, which is read while the request is sent. The call fails if the file changes meanwhile.
    ///
    /// - Parameters:
    ///   - name: The name of the field, which may be any text. Several files may have the same name.
    ///   - file: The URL of the file.
    ///   - filename: The file name that the server receives. The default is the name of the file.
    ///   - contentType: The media type. The default is the type for `filename`.
    ///   - headers: Additional headers of the part.
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

    /// Adds several files under one field name, each as a separate part with the name and media type of the file.
    ///
    /// - Parameters:
    ///   - name: The name of the field, which may be any text.
    ///   - files: The URLs of the files.
    public mutating func append(name: String, files: [URL]) {
        for file in files { append(name: name, file: file) }
    }

    /// Adds bytes that are produced while the request is sent.
    ///
    /// The form has a known length if the stream has one, and can be sent again if the stream is replayable.
    ///
    /// - Parameters:
    ///   - name: The name of the field, which may be any text.
    ///   - stream: The bytes.
    ///   - filename: The file name that makes the server treat the part as a file.
    ///   - contentType: The media type. The default is the type for `filename`, if there is one.
    ///   - headers: Additional headers of the part.
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

    /// Returns the form as a body: as data if all parts are in memory, otherwise as a stream.
    ///
    /// The length is known unless the form contains a stream of unknown length.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if a file cannot be read, or if the headers of a part are invalid.
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
    /// Makes the request a POST of a multipart form.
    ///
    /// If a file cannot be read, sending the request fails before anything is sent.
    public mutating func multipart(_ form: MultipartForm) {
        setMethod(.post)
        setHeader(name: NetworkConstants.headerContentType, value: form.contentType)
        do throws(NetworkError) {
            body = try form.body()
        } catch {
            recordProblem(error.failure, of: .body)
        }
    }
}
