import Foundation
import Sallyport
import SallyportTransport

/// The body of an endpoint's request.
public struct EndpointBody: Sendable {
    private enum Content: Sendable {
        case none
        case json(any Encodable & Sendable)
        case form(any Encodable & Sendable)
        case multipart(MultipartForm)
        case raw(RequestBody, contentType: String)
    }

    private let content: Content

    /// No body.
    public static let none = EndpointBody(content: .none)

    /// Returns a body of JSON, encoded by ``ServiceClientConfiguration/encoder``. The value may be the endpoint
    /// itself, if it is `Encodable`.
    public static func json(_ value: some Encodable & Sendable) -> EndpointBody {
        EndpointBody(content: .json(value))
    }

    /// Returns a URL-encoded form, encoded by ``ServiceClientConfiguration/formEncoder``.
    public static func form(_ value: some Encodable & Sendable) -> EndpointBody {
        EndpointBody(content: .form(value))
    }

    /// Returns a multipart form.
    public static func multipart(_ form: MultipartForm) -> EndpointBody {
        EndpointBody(content: .multipart(form))
    }

    /// Returns a body of data, a file or a stream.
    public static func raw(_ body: RequestBody, contentType: String) -> EndpointBody {
        EndpointBody(content: .raw(body, contentType: contentType))
    }

    /// `true` if there is no body.
    var isNone: Bool { if case .none = content { true } else { false } }

    func write(to request: inout HttpRequest, _ configuration: ServiceClientConfiguration) {
        switch content {
        case .none: break
        case .json(let value): request.post(json: value, encoder: configuration.encoder)
        case .form(let value): request.form(value, encoder: configuration.formEncoder)
        case .multipart(let form): request.multipart(form)
        case .raw(let body, let contentType):
            request.setHeader(name: NetworkConstants.headerContentType, value: contentType)
            request.body = body
        }
    }
}
