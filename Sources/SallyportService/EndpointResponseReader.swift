import Foundation
import Sallyport
import SallyportTransport

/// Decodes the typed response of an endpoint, or creates the error that explains why it cannot be decoded.
struct EndpointResponseReader: Sendable {
    private let configuration: ServiceClientConfiguration
    private let decoder: JSONDecoder

    init(_ configuration: ServiceClientConfiguration) {
        self.configuration = configuration
        decoder = configuration.decoder.copy(with: configuration.responseFormat.keys)
    }

    func read<E: Endpoint>(_ response: HttpResponse, as endpoint: E) throws(NetworkServiceError) -> E.Response {
        let validation = endpoint.validation ?? configuration.validation
        guard validation.statuses.contains(response.status.code) else {
            throw .refused(refusal(response, of: endpoint))
        }
        let body = response.body ?? Data()
        switch E.Response.self {
        case is NoContent.Type: if let none = NoContent() as? E.Response { return none }
        case is Data.Type: if let data = body as? E.Response { return data }
        case is String.Type: if let text = response.bodyAsString() as? E.Response { return text }
        default: break
        }
        if body.isEmpty { return try missingValue(E.Response.self, "the response is empty", response) }
        try check(validation, response)
        let format = format(of: endpoint)
        if format == .plain { return try decode(E.Response.self, body, response, decoder) }
        let decoder = format == configuration.responseFormat ? decoder : decoder.copy(with: format.keys)
        let envelope = try decode(EnvelopedResponse<E.Response>.self, body, response, decoder)
        if let value = envelope.payload { return value }
        let reason = "the response has no \"\(format.keys.payload)\""
        return try missingValue(E.Response.self, reason, response, status: envelope.status)
    }

    private func format(of endpoint: some Endpoint) -> ResponseFormat {
        endpoint.responseFormat ?? configuration.responseFormat
    }

    /// Returns the details of a response that is not a success.
    func refusal(_ response: HttpResponse, of endpoint: some Endpoint) -> NetworkServiceErrorInfo {
        let keys = format(of: endpoint).keys
        let message = ServerMessage(
            in: response.body ?? Data(),
            contentType: response.getHeader(name: NetworkConstants.headerContentType),
            names: ServerMessage.Names(object: keys.status, message: keys.message, code: keys.code),
            masking: SecretMasker(sentBy: response.request),
            limit: Self.maximumMessageLength - 1
        )
        var info = info("the server answered \(response.statusSummary)", response)
        (info.message, info.code) = (message.message, message.code)
        return info
    }

    private func check(_ validation: ResponseValidation, _ response: HttpResponse) throws(NetworkServiceError) {
        let type = response.getHeader(name: NetworkConstants.headerContentType)
        if validation.allows(type) { return }
        let expected = validation.contentTypes.joined(separator: ", ")
        let received = VisibleText.line(SecretMasker(sentBy: response.request).masked(type ?? ""), longest: 100)
        var info = info("the response is \(received), and not one of \(expected)", response)
        info.advice = "inspect the body in the error's response, or allow the type in the validation"
        throw .unexpectedContentType(info)
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type,
        _ body: Data,
        _ response: HttpResponse,
        _ decoder: JSONDecoder
    ) throws(NetworkServiceError) -> Value {
        do {
            return try decoder.decode(type, from: body)
        } catch {
            var info = info("the response does not match the endpoint", response)
            info.decoding = DecodingFailure(
                error,
                reading: type,
                from: body,
                masking: SecretMasker(sentBy: response.request)
            )
            throw .undecodable(info)
        }
    }

    /// Returns the value for a missing response, if its type has one; otherwise throws.
    private func missingValue<Value>(
        _ type: Value.Type,
        _ reason: String,
        _ response: HttpResponse,
        status: EnvelopedStatus? = nil
    ) throws(NetworkServiceError) -> Value {
        if let absent = (type as? any HasAbsentValue.Type)?.absent as? Value { return absent }
        var info = info(reason, response)
        let masker = SecretMasker(sentBy: response.request)
        info.message = (status?.message).map { Self.bounded(masker.masked($0)) }
        info.code = (status?.code).map { Self.bounded(masker.masked($0)) }
        info.advice = status == nil ? "declare the endpoint's Response as optional if this is allowed" : nil
        throw .missingBody(info)
    }

    /// The maximum number of characters of the server's message and code, with an ellipsis.
    private static let maximumMessageLength = 1000

    /// Returns a text from the server for use in an error: on one line, and truncated.
    private static func bounded(_ text: String) -> String {
        VisibleText.line(text, longest: maximumMessageLength - 1)
    }

    private func info(_ reason: String, _ response: HttpResponse) -> NetworkServiceErrorInfo {
        var info = NetworkServiceErrorInfo(reason, request: response.request.description)
        info.response = response
        return info
    }
}

/// A type that has a value for a missing response.
private protocol HasAbsentValue {
    static var absent: Self { get }
}

extension Optional: HasAbsentValue {
    static var absent: Wrapped? { nil }
}

extension JSONDecoder {
    /// Returns a new decoder with the same settings and the keys of an envelope.
    fileprivate func copy(with keys: EnvelopeKeys) -> JSONDecoder {
        let copy = JSONDecoder()
        copy.dateDecodingStrategy = dateDecodingStrategy
        copy.dataDecodingStrategy = dataDecodingStrategy
        copy.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
        copy.keyDecodingStrategy = keyDecodingStrategy
        copy.allowsJSON5 = allowsJSON5
        copy.assumesTopLevelDictionary = assumesTopLevelDictionary
        copy.userInfo = userInfo
        if let key = CodingUserInfoKey.envelopeKeys { copy.userInfo[key] = keys }
        return copy
    }
}
