import Foundation
import Sallyport
import SallyportTransfers

/// An endpoint to which ``UploadService`` uploads files as a form.
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
    /// The files, which are sent in form fields with the same name.
    var files: [FilePart] { get }

    /// Additional fields of the form; none by default.
    var fields: EndpointParameters { get }
}

extension UploadEndpoint {
    /// POST.
    public var method: HttpMethod { .post }

    /// No fields.
    public var fields: EndpointParameters { .none }
}

/// A file or data to upload.
public struct FilePart: Sendable {
    private enum Content: Sendable {
        case file(URL)
        case data(Data)
    }

    private let content: Content
    private let filename: String?
    private let contentType: String?

    /// Returns a part with a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - filename: The name that is sent to the server; the name of the file by default.
    ///   - contentType: The media type; by default it is derived from the name.
    public static func file(_ url: URL, filename: String? = nil, contentType: String? = nil) -> FilePart {
        FilePart(content: .file(url), filename: filename, contentType: contentType)
    }

    /// Returns a part with data, which is sent as a file.
    public static func data(_ data: Data, filename: String, contentType: String? = nil) -> FilePart {
        FilePart(content: .data(data), filename: filename, contentType: contentType)
    }

    /// Adds the part to a form.
    ///
    /// - Parameter key: The name of the form field.
    func append(to form: inout MultipartForm, key: String) {
        switch content {
        case .file(let url): form.append(name: key, file: url, filename: filename, contentType: contentType)
        case .data(let data): form.append(name: key, data: data, filename: filename, contentType: contentType)
        }
    }
}
