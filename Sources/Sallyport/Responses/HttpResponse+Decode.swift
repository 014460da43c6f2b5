import Foundation
import SallyportTransport

extension HttpResponse {
    /// Returns the body decoded from JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder.
    /// - Throws: ``NetworkError/invalidResponse(_:)``, which states the path in the JSON but not the value, or that the body is empty or
    ///   an HTML page.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        using decoder: JSONDecoder = JSONDecoder()
    ) throws(NetworkError) -> Value {
        guard let body else {
            throw undecodable("is streamed", advice: "collect bodyStream, or send the request with client.request")
        }
        do {
            return try decoder.decode(type, from: body)
        } catch {
            if body.isEmpty { throw undecodable("is empty instead of the JSON of \(type)", underlying: error) }
            if let document = BodyText.markup(body) {
                throw undecodable(
                    "is \(document) instead of the JSON of \(type)",
                    advice: "check the URL; the document may come from a proxy, a login or an error page",
                    underlying: error
                )
            }
            let problem = (error as? DecodingError)?.problem ?? "\(Swift.type(of: error))"
            throw undecodable("is not the JSON of \(type): \(problem)", underlying: error)
        }
    }

    private func undecodable(
        _ problem: String,
        advice: String? = nil,
        underlying: (any Error)? = nil
    ) -> NetworkError {
        .invalidResponse(
            NetworkFailure(
                "the body of the response (status \(status.code)) \(problem)",
                request: request.description,
                advice: advice,
                underlying: underlying
            )
        )
        .masking(secretsOf: request)
    }
}

extension DecodingError {
    /// The problem and its position in the document.
    var problem: String {
        switch self {
        case .keyNotFound(let key, let context): "no \(key.stringValue) at \(Self.path(context))"
        case .valueNotFound(let type, let context): "null instead of \(type) at \(Self.path(context))"
        case .typeMismatch(let type, let context): "not a \(type) at \(Self.path(context))"
        case .dataCorrupted(let context): "invalid data at \(Self.path(context))"
        @unknown default: "undecodable"
        }
    }

    private static func path(_ context: Context) -> String {
        let keys = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return keys.isEmpty ? "the root" : keys.joined(separator: ".")
    }
}
