import Foundation
import Sallyport

/// Creates requests for resources.
///
/// ```swift
/// let request = ResourceRequestFactory.makeResourceRequest(path: "accounts", parameters: ["page": 2])
/// ```
public enum ResourceRequestFactory {
    /// Returns a request.
    ///
    /// - Parameters:
    ///   - path: The path below the resource base URL, or an absolute URL; see ``ResourceRequest/path``.
    ///   - method: The method.
    ///   - parameters: The parameters, in the query or the body.
    ///   - body: The bytes to send instead of the parameters.
    ///   - headers: Additional headers.
    ///   - parametersEncoding: The encoding of the parameters in the body.
    public static func makeResourceRequest(
        path: String,
        method: HTTPMethod = .get,
        parameters: [String: JsonValue]? = nil,
        body: Data? = nil,
        headers: [String: String]? = nil,
        parametersEncoding: ParametersEncoding = .JSON
    ) -> ResourceRequest {
        var request = ResourceRequest(
            path: path,
            method: method,
            parameters: parameters,
            encoding: parametersEncoding,
            headers: headers
        )
        request.body = body
        return request
    }

    /// Returns a multipart request; see ``ResourceRequest/multipartData``.
    ///
    /// - Parameters:
    ///   - path: The path below the resource base URL, or an absolute URL; see ``ResourceRequest/path``.
    ///   - method: The method, which must be POST.
    ///   - parameters: The fields of the form.
    ///   - multipartData: The parts, after the fields.
    public static func makeMultipartResourceRequest(
        path: String,
        method: HTTPMethod,
        parameters: [String: JsonValue]?,
        multipartData: [MultipartData]
    ) -> ResourceRequest {
        ResourceRequest(path: path, method: method, parameters: parameters, multipartData: multipartData)
    }
}
