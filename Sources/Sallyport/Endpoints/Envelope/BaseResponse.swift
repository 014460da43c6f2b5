/// An envelope: what became of the call, and what was asked for, if it came.
///
/// ```swift
/// struct Profile: Endpoint {
///     typealias Response = BaseResponse<User>
///     var path: EndpointPath { "/profile" }
/// }
/// let answer = try await service.call(Profile())
/// print(answer.body?.name ?? answer.status?.message ?? "")
/// ```
///
/// An endpoint whose ``Endpoint/answerFormat`` is enveloped gives the body alone, and an error if there is none.
public struct BaseResponse<Body: Decodable & Sendable>: Decodable, Sendable {
    /// What became of the call.
    public var status: ServiceResponseStatus?

    /// What was asked for.
    public var body: Body?

    /// Makes an envelope.
    public init(status: ServiceResponseStatus? = nil, body: Body? = nil) {
        self.status = status
        self.body = body
    }

    /// Reads an envelope by the keys of ``NetworkServiceConfiguration/envelope``.
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

/// What is an envelope, whatever is in it.
protocol NetworkServiceBaseResponse {}

extension BaseResponse: NetworkServiceBaseResponse {}
