import Foundation
import SallyportTransport

extension HttpResponse {
    /// Returns the body decoded from JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder.
    /// - Throws: ``NetworkError/invalidResponse(_:)``, which states the path in the JSON but not the value.
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
            throw undecodable("is not the JSON of \(type): \(Self.problem(error))", underlying: error)
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
    }

    private static func problem(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(type(of: error))" }
        switch error {
        case .keyNotFound(let key, let context): return "no \(key.stringValue) at \(path(context))"
        case .valueNotFound(let type, let context): return "null instead of \(type) at \(path(context))"
        case .typeMismatch(let type, let context): return "not a \(type) at \(path(context))"
        case .dataCorrupted(let context): return "invalid data at \(path(context))"
        @unknown default: return "undecodable"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        let keys = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return keys.isEmpty ? "the root" : keys.joined(separator: ".")
    }
}
