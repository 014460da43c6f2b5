import Sallyport
import SallyportService

/// The JSON object of a response, which has a status or a body.
struct Envelope: Decodable, Sendable {
    private let values: [String: JsonValue]

    init(from decoder: any Decoder) throws {
        values = try [String: JsonValue](from: decoder)
        guard values["status"]?.object != nil || values["body"]?.object != nil else {
            let problem = "there is neither the object status nor the object body"
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
        }
    }

    /// The members of the object, as `JSONSerialization` would return them.
    var members: [String: Any] { values.mapValues(\.foundationValue) }
}

extension Result<Envelope, NetworkServiceError> {
    /// Passes the response or the error to a callback, on the main actor.
    ///
    /// The response to an unsuccessful call is passed as a response if it has a status or a body, as in the original library.
    func deliver<Model: BaseModel>(
        to callback: @escaping @MainActor (BaseResponse<Model>?, NetworkServiceErrorInfo?) -> Void
    ) {
        // It ends with the callback.
        Task { @MainActor in
            switch self {
            case .success(let envelope): callback(BaseResponse(JSON: envelope.members), nil)
            case .failure(let error):
                guard case .refused(let info) = error, let envelope = try? info.decode(Envelope.self) else {
                    return callback(nil, error.info)
                }
                callback(BaseResponse(JSON: envelope.members), nil)
            }
        }
    }
}
