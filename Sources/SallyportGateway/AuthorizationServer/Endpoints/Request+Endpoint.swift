import Foundation
import HTTPTypes
import Hummingbird
import SallyportJOSE

@available(macOS 14, iOS 17, tvOS 17, *)
extension Request {
    /// The largest form that is read, in bytes.
    private static let largestForm = 64 * 1024

    /// What the authorization server looks at, the form included.
    func endpointRequest() async throws -> GatewayEndpointRequest {
        var request = endpointRequestWithoutForm
        request.parameters = try await form()
        return request
    }

    /// What the authorization server looks at where the body does not count.
    var endpointRequestWithoutForm: GatewayEndpointRequest {
        GatewayEndpointRequest(
            method: method.rawValue,
            path: uri.path,
            authorization: headers[values: .authorization],
            proofs: HTTPField.Name("DPoP").map { headers[values: $0] } ?? []
        )
    }

    /// The parameters of the form that is the body.
    ///
    /// - Throws: ``OAuthRefusal`` for another kind of body.
    func form() async throws -> FormParameters {
        let kind = headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
        guard kind == "application/x-www-form-urlencoded" else {
            throw OAuthRefusal(.invalidRequest, "The body has to be application/x-www-form-urlencoded.")
        }
        return try FormParameters(parsing: String(buffer: try await body.collect(upTo: Self.largestForm)))
    }

    /// The parameters of the query, read like a form.
    func queryParameters() throws(OAuthRefusal) -> FormParameters {
        let query = uri.query ?? ""
        guard query.utf8.count <= Self.largestForm else {
            throw OAuthRefusal(.invalidRequest, "The query is too long.")
        }
        return try FormParameters(parsing: query)
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Response {
    /// JSON that nobody keeps.
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

    /// A refusal as clients read it (RFC 6749, section 5.2).
    static func refusal(
        _ refusal: OAuthRefusal,
        status: Int? = nil,
        headers: HTTPFields = [:]
    ) throws -> Response {
        let body = ["error": refusal.code.rawValue, "error_description": refusal.description]
        return try json(body, status: HTTPResponse.Status(code: status ?? refusal.status), headers: headers)
    }
}

extension HTTPField.Name {
    /// `DPoP-Nonce` (RFC 9449, section 8).
    static let proofNonce = HTTPField.Name("DPoP-Nonce")
    static let pragma = HTTPField.Name("Pragma")
}

extension HTTPFields {
    /// Sets a field whose name may not be one; those here are.
    subscript(_ name: HTTPField.Name?) -> String? {
        get { name.flatMap { self[$0] } }
        set { if let name { self[name] = newValue } }
    }
}
