import Foundation

/// An endpoint to which files are uploaded as a form, by ``UploadService``.
///
/// ```swift
/// struct AddPhotos: UploadEndpoint {
///     typealias Response = [Photo]
///     var album: String
///     var files: [FilePart]
///     var path: EndpointPath { "/photos" }
///     var fields: EndpointParameters { ["album": album] }
/// }
/// ```
public protocol UploadEndpoint: Endpoint {
    /// The files, all of them under one key.
    var files: [FilePart] { get }

    /// The fields of the form beside them; none unless set.
    var fields: EndpointParameters { get }
}

extension UploadEndpoint {
    /// POST.
    public var method: HttpMethod { .post }

    /// None.
    public var fields: EndpointParameters { .none }
}

/// A file or bytes that a service uploads.
public struct FilePart: Sendable {
    private enum Content: Sendable {
        case file(URL)
        case data(Data)
    }

    private let content: Content
    private let filename: String?
    private let contentType: String?

    /// A file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - url: Where the file is.
    ///   - filename: The name that the server sees; by default the file's own.
    ///   - contentType: Its media type; by default that of its name.
    public static func file(_ url: URL, filename: String? = nil, contentType: String? = nil) -> FilePart {
        FilePart(content: .file(url), filename: filename, contentType: contentType)
    }

    /// Bytes under a file's name.
    public static func data(_ data: Data, filename: String, contentType: String? = nil) -> FilePart {
        FilePart(content: .data(data), filename: filename, contentType: contentType)
    }

    func append(to form: inout MultipartForm, key: String) {
        switch content {
        case .file(let url): form.append(name: key, file: url, filename: filename, contentType: contentType)
        case .data(let data): form.append(name: key, data: data, filename: filename, contentType: contentType)
        }
    }
}
