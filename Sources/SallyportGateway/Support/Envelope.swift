import Foundation
import Hummingbird

/// The envelope of the example API: the status of the request and the requested body.
struct Envelope<Body: Encodable & Sendable>: Encodable, Sendable {
    let status: EnvelopeStatus
    let body: Body?
}

/// The status in an envelope.
struct EnvelopeStatus: Encodable, Sendable {
    let message: String
    let code: EnvelopeCode
    let responseTimeStamp: String

    init(message: String, code: String) {
        self.message = message
        self.code = EnvelopeCode(text: code)
        responseTimeStamp = Date().formatted(.iso8601)
    }
}

/// A code, which is encoded as a number if possible, otherwise as a string. APIs use either.
struct EnvelopeCode: Encodable, Sendable {
    let text: String

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let number = Int(text) { try container.encode(number) } else { try container.encode(text) }
    }
}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Envelope: ResponseGenerator where Body: ResponseEncodable {}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Envelope: ResponseEncodable where Body: ResponseEncodable {}

/// The body type of an envelope that has no body.
struct NoBody: ResponseEncodable {}

@available(macOS 14, iOS 17, tvOS 17, *)
extension Response {
    /// Returns a response with a body in an envelope, or without the envelope if the query contains `envelope=false`.
    static func enveloped(
        _ body: (some ResponseEncodable & Sendable)?,
        message: String = "OK",
        code: String = "0",
        status: HTTPResponse.Status = .ok,
        to request: Request,
        _ context: GatewayContext
    ) throws -> Response {
        let isBare = request.query("envelope") == "false"
        var response: Response
        if isBare, let body {
            response = try body.response(from: request, context: context)
        } else {
            let envelope = Envelope(status: EnvelopeStatus(message: message, code: code), body: body)
            response = try envelope.response(from: request, context: context)
        }
        response.status = status
        return response
    }

    /// Returns a response with an envelope that has a status, but no body.
    static func emptyEnvelope(
        _ message: String,
        code: String,
        status: HTTPResponse.Status,
        to request: Request,
        _ context: GatewayContext
    ) throws -> Response {
        let none: NoBody? = nil
        return try enveloped(none, message: message, code: code, status: status, to: request, context)
    }
}
