import Foundation
import HTTPTypes
import Hummingbird
import SallyportJOSE

/// The parts of a request that the authorization server uses.
struct GatewayEndpointRequest: Sendable {
    /// The method, such as `POST`.
    let method: String
    /// The path, without the query.
    let path: String
    /// The path at the end of the issuer identifier of the endpoint; see ``EndpointPaths/issuer``.
    var issuerPath = ""
    /// The parameters of the form.
    var parameters = FormParameters()
    /// The values of `Authorization`.
    var authorization: [String] = []
    /// The values of `DPoP`.
    var proofs: [String] = []
    /// The value of `User-Agent`.
    var userAgent: String?

    /// Returns the credentials if there is exactly one `Authorization` header and it has the given scheme.
    func credentials(_ scheme: String) -> String? {
        guard authorization.count == 1 else { return nil }
        let parts = authorization[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == scheme else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Request {
    /// The maximum length of a form or query, in bytes.
    private static let maximumFormSize = 64 * 1024

    /// Returns the parts that the authorization server uses, including the form in the body.
    func endpointRequest() async throws -> GatewayEndpointRequest {
        var request = endpointRequestWithoutForm
        request.parameters = try await form()
        return request
    }

    /// The parts that an endpoint without a form uses.
    var endpointRequestWithoutForm: GatewayEndpointRequest {
        GatewayEndpointRequest(
            method: method.rawValue,
            path: uri.path,
            authorization: headers[values: .authorization],
            proofs: HTTPField.Name("DPoP").map { headers[values: $0] } ?? [],
            userAgent: headers[.userAgent]
        )
    }

    /// Returns the parameters of the form in the body.
    ///
    /// - Throws: ``OAuthRefusal`` if the body is not a form.
    func form() async throws -> FormParameters {
        let kind = headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
        guard kind == "application/x-www-form-urlencoded" else {
            throw OAuthRefusal(.invalidRequest, "The body must be application/x-www-form-urlencoded.")
        }
        return try FormParameters(parsing: String(buffer: try await body.collect(upTo: Self.maximumFormSize)))
    }

    /// Returns the parameters of the query, decoded like a form.
    func queryParameters() throws(OAuthRefusal) -> FormParameters {
        let query = uri.query ?? ""
        guard query.utf8.count <= Self.maximumFormSize else {
            throw OAuthRefusal(.invalidRequest, "The query is too long.")
        }
        return try FormParameters(parsing: query)
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Response {
    /// Returns a response in JSON, by default with `no-store`.
    static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        maximumAge: Int? = nil
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.cacheControl] = maximumAge.map { "max-age=\($0)" } ?? "no-store"
        if maximumAge == nil { headers[.pragma] = "no-cache" }
        return Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(value)))
        )
    }

    /// Returns an error response (RFC 6749, section 5.2).
    static func refusal(
        _ refusal: OAuthRefusal,
        status: Int? = nil,
        headers: HTTPFields = [:]
    ) throws -> Response {
        let error = ["error": refusal.code.rawValue, "error_description": refusal.description]
        let body = error.merging(refusal.members) { own, _ in own }
        return try json(body, status: HTTPResponse.Status(code: status ?? refusal.status), headers: headers)
    }
}

extension HTTPField.Name {
    /// `DPoP-Nonce` (RFC 9449, section 8).
    static let proofNonce = HTTPField.Name("DPoP-Nonce")
    static let pragma = HTTPField.Name("Pragma")
}

extension HTTPFields {
    /// Accesses the field of a name that was created with a failable initializer.
    subscript(_ name: HTTPField.Name?) -> String? {
        get { name.flatMap { self[$0] } }
        set { if let name { self[name] = newValue } }
    }
}
