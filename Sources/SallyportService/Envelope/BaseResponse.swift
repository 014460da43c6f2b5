import Sallyport
import SallyportTransfers

/// An envelope, which contains the status of the call and the body.
///
/// ```swift
/// struct Profile: Endpoint {
///     typealias Response = BaseResponse<User>
///     var path: EndpointPath { "/profile" }
/// }
/// let response = try await service.call(Profile())
/// print(response.body?.name ?? response.status?.message ?? "")
/// ```
///
/// An endpoint whose ``Endpoint/responseFormat`` is ``ResponseFormat/enveloped`` returns only the body, and fails if there
/// is none.
public struct BaseResponse<Body: Decodable & Sendable>: Decodable, Sendable {
    /// The status of the call.
    public var status: ServiceResponseStatus?

    /// The body.
    public var body: Body?

    /// Creates an envelope.
    public init(status: ServiceResponseStatus? = nil, body: Body? = nil) {
        self.status = status
        self.body = body
    }

    /// Decodes an envelope by the keys of ``NetworkServiceConfiguration/envelope``.
    public init(from decoder: any Decoder) throws {
        let keys = decoder.envelopeKeys
        let container = try decoder.container(keyedBy: NameKey.self)
        let bodyKey = container.key(keys.body)
        if let status = keys.status {
            let key = container.key(status)
            guard container.contains(key) || container.contains(bodyKey) else {
                throw DecodingError.keyNotFound(
                    bodyKey,
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "there is neither \(status) nor \(keys.body)"
                    )
                )
            }
            self.status = try container.decodeIfPresent(ServiceResponseStatus.self, forKey: key)
        } else {
            status = try ServiceResponseStatus(from: decoder)
        }
        body = try container.decodeIfPresent(Body.self, forKey: bodyKey)
    }
}

extension BaseResponse: Equatable where Body: Equatable {}
extension BaseResponse: Hashable where Body: Hashable {}

/// A type that all envelopes conform to, to recognize them without their body's type.
protocol NetworkServiceBaseResponse {}

extension BaseResponse: NetworkServiceBaseResponse {}
