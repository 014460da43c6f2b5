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
