import Foundation
import SallyportTransport

/// What an endpoint sends after the head.
public struct EndpointBody: Sendable {
    private enum Content: Sendable {
        case none
        case json(any Encodable & Sendable)
        case form(any Encodable & Sendable)
        case multipart(MultipartForm)
        case raw(RequestBody, contentType: String)
    }

    private let content: Content

    /// Nothing.
    public static let none = EndpointBody(content: .none)

    /// A value as JSON, by ``NetworkServiceConfiguration/encoder``. It may be the endpoint itself, if it is `Encodable`.
    public static func json(_ value: some Encodable & Sendable) -> EndpointBody {
        EndpointBody(content: .json(value))
    }

    /// A value as a form, by ``NetworkServiceConfiguration/formEncoder``.
    public static func form(_ value: some Encodable & Sendable) -> EndpointBody {
        EndpointBody(content: .form(value))
    }

    /// A form with files.
    public static func multipart(_ form: MultipartForm) -> EndpointBody {
        EndpointBody(content: .multipart(form))
    }

    /// Bytes, a file or a stream.
    public static func raw(_ body: RequestBody, contentType: String) -> EndpointBody {
        EndpointBody(content: .raw(body, contentType: contentType))
    }

    /// Whether there is nothing.
    var isNone: Bool { if case .none = content { true } else { false } }

    func write(to request: inout HttpRequest, _ configuration: NetworkServiceConfiguration) {
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
