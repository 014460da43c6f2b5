import Foundation

/// A part of a multipart request: bytes in memory, or a file.
///
/// ```swift
/// let photo = MultipartData(data: jpeg, name: "photo", fileName: "me.jpg", mimeType: "image/jpeg")
/// let film = MultipartData(file: url, name: "film")
/// let request = ResourceRequestFactory.makeMultipartResourceRequest(
///     path: "uploads", method: .post, parameters: ["album": "summer"], multipartData: [photo, film])
/// ```
public struct MultipartData: Sendable, Hashable {
    /// The bytes; `nil` if the part is a file.
    public let data: Data?
    /// The file, which is read while the request is sent; `nil` if the bytes are in memory.
    public let file: URL?
    /// The name of the form field.
    public let name: String
    /// The file name that the server receives; `nil` for none, or for the name of ``file``.
    public let fileName: String?
    /// The media type; `nil` for none, or for the type for the file name.
    public let mimeType: String?

    /// Creates a part with bytes in memory.
    public init(data: Data, name: String, fileName: String? = nil, mimeType: String? = nil) {
        self.data = data
        file = nil
        self.name = name
        self.fileName = fileName
        self.mimeType = mimeType
    }

    /// Creates a part with a file, which need not fit into memory. The call fails if the file changes while it is sent.
    public init(file: URL, name: String, fileName: String? = nil, mimeType: String? = nil) {
        data = nil
        self.file = file
        self.name = name
        self.fileName = fileName
        self.mimeType = mimeType
    }
}
