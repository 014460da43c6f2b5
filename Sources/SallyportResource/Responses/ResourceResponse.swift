import Foundation
import Sallyport

/// The response to a resource call, as the server sent it. The SDK does not parse its body.
///
/// ```swift
/// let response = try await client.userClient.sendAuthenticatedRequest(request)
/// if let data = response.data {
///     let accounts = try JSONDecoder().decode([Account].self, from: data)
/// }
/// ```
///
/// On Apple platforms, `response` is its `HTTPURLResponse`.
public struct ResourceResponse: Sendable {
    /// The status, such as 200.
    public let statusCode: Int

    /// The headers, with names as the server sent them. Several values of a name are joined with commas.
    public let allHeaderFields: [String: String]

    /// The body; `nil` if it is empty.
    public let data: Data?

    /// The response of the HTTP client, with the request as it was sent, all values of each header and the connection.
    public let httpResponse: HttpResponse

    /// Creates a response, for tests.
    ///
    /// - Parameter response: A response with its body in memory.
    public init(_ response: HttpResponse) {
        statusCode = response.status.code
        allHeaderFields = response.headers.dictionary.mapValues { $0.joined(separator: ", ") }
        data = response.body.flatMap { $0.isEmpty ? nil : $0 }
        httpResponse = response
    }

    /// Returns the first value of a header. The name is not case-sensitive.
    public func header(_ name: String) -> String? { httpResponse.getHeader(name: name) }
}

extension ResourceResponse: CustomStringConvertible, CustomReflectable {
    /// The request's method and URL, and the status, without secrets.
    public var description: String { httpResponse.description }

    /// A mirror of ``description``, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["response": description], displayStyle: .struct) }
}
