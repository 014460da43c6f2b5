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

extension BaseResponse {
    /// Creates a response. Returns `nil` if there is neither a status nor a body that the model accepts.
    fileprivate init?(_ envelope: Envelope) {
        self.init(JSON: envelope.members)
        if status == nil, data == nil { return nil }
    }
}

extension Result<Envelope, NetworkServiceError> {
    /// Passes the response or the error to a callback.
    ///
    /// The response to an unsuccessful call is passed as a response if it has a status or a model, as in the original library.
    @MainActor
    func deliver<Model: BaseModel>(
        to callback: @MainActor (BaseResponse<Model>?, NetworkServiceErrorInfo?) -> Void
    ) {
        switch self {
        case .success(let envelope):
            if let response = BaseResponse<Model>(envelope) { return callback(response, nil) }
            let reason = "the response has no status, and its body is not a valid \(Model.self)"
            callback(nil, NetworkServiceErrorInfo(reason))
        case .failure(let error):
            guard case .refused(let info) = error, let envelope = try? info.decode(Envelope.self),
                let response = BaseResponse<Model>(envelope)
            else { return callback(nil, error.info) }
            callback(response, nil)
        }
    }
}
